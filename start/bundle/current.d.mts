export declare const folder: string;
export declare const manifestFile: string;
export declare function fingerprintOf(sources: readonly string[]): string | undefined;
export declare function bundleOf(entry: string): string | undefined;

/** Limit of the bytes of all `userProvidedRawDataSources` of one product. */
export const MAX_SOURCE_BYTES = 1_000_000;

/** A fault if the sources of one product are too large together. */
export function* sourceFaults(sources: unknown, path: string): Generator<string> {
  if (!Array.isArray(sources)) return;
  const bytes = sources.reduce((sum: number, each) => sum + (typeof each === 'string' ? Buffer.byteLength(each) : 0), 0);
  if (bytes > MAX_SOURCE_BYTES) yield `${path} must have at most ${MAX_SOURCE_BYTES} bytes together`;
}

/** SQL for the sources of the product `r` within a budget of characters. */
export const boundedSources = (characters: number): string => `catalog.fit_texts(r.user_provided_raw_data_sources, ${characters})`;

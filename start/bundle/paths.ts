/** Expressions that locate a file, with the expression that replaces them in a bundle. */
const locations: readonly [RegExp, (file: string) => string][] = [
  [/\bimport\.meta\.filename\b/g, (file) => file],
  [/\bimport\.meta\.dirname\b/g, (file) => `process.getBuiltinModule('node:path').dirname(${file})`],
  [/\bimport\.meta\.url\b/g, (file) => `process.getBuiltinModule('node:url').pathToFileURL(${file}).href`],
  [/(?<![.\w$])__filename\b/g, (file) => file],
  [/(?<![.\w$])__dirname\b/g, (file) => `process.getBuiltinModule('node:path').dirname(${file})`],
];
const declared = /\b(?:const|let|var)\s+__(?:dirname|filename)\b/;

/** Make a module locate files relative to its own path below the root, not relative to its bundle. */
export function locatePaths(code: string, path: string): string {
  if (declared.test(code)) return code.replace(locations[2]![0], locations[2]![1](fileOf(path)));
  return locations.reduce((text, [expression, replacement]) => text.replace(expression, () => replacement(fileOf(path))), code);
}

const fileOf = (path: string) => `process.getBuiltinModule('node:path').join(globalThis.sourceRoot, ${JSON.stringify(path)})`;

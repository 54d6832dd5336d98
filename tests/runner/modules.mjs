import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

const tests = new URL('..', import.meta.url).href;
const globals = new URL('globals.mjs', import.meta.url).href;
/** The number of the test file that a module belongs to. */
const FILE = /[?]file=\d+$/;

let files = 0;

registerHooks({
  resolve(specifier, context, nextResolve) {
    const file = FILE.exec(context.parentURL)?.[0];
    if (!file) return nextResolve(specifier, context);
    if (specifier === '@jest/globals') return { url: globals + file, format: 'module', shortCircuit: true };
    const resolved = nextResolve(specifier, context);
    const isOfTests = resolved.url.startsWith(tests) && resolved.url.endsWith('.ts');
    return isOfTests ? { ...resolved, url: resolved.url + file } : resolved;
  },
  load: (url, context, nextLoad) => nextLoad(url.replace(FILE, ''), context),
});

/** Import a test file. The modules in `tests/` that it imports are its own; it shares all others with the files before it. */
export function importTestFile(path) {
  files += 1;
  return import(`${pathToFileURL(path)}?file=${files}`);
}

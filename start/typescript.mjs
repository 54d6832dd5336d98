// Lets Node run TypeScript. type-graphql and MikroORM need legacy decorators, which Node's type stripping does not support.

import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire, enableCompileCache, registerHooks, SourceMap } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

// libuv resolves names in half of its threads. Four would let two hosts with a silent name server delay every other connection.
process.env.UV_THREADPOOL_SIZE ??= '16';

const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL('..', import.meta.url));
const cache = join(root, 'node_modules/.cache');
// Saves a quarter of the start-up time. Without permission to write, Node compiles as usual.
enableCompileCache(join(cache, 'compile'));

/** The output depends on these too. */
const compiler = readFileSync(join(root, '.swcrc'), 'utf8') + require('@swc/core/package.json').version;
const folder = join(cache, 'transformed');

/** The cache has two entries per path: the output, which begins with a hash of its input, and its source map. */
const cachedOutput = (path) => join(folder, `${hash('sha256', path)}.js`);

/** Transform a file, or read its cached output. */
function transform(path) {
  const input = hash('sha256', compiler + readFileSync(path, 'utf8'));
  const file = cachedOutput(path);
  const cached = readCached(file);
  if (cached?.startsWith(input)) return cached.slice(input.length);
  // Loaded here, because a start with a warm cache does not need the compiler.
  const { code, map } = require('@swc/core').transformFileSync(path);
  // A debugger reads the map from there.
  const located = `${code}//# sourceMappingURL=${pathToFileURL(`${file}.map`)}\n`;
  writeCached(`${file}.map`, map);
  writeCached(file, input + located);
  return located;
}

function readCached(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Without permission to write, the next start transforms the file again. */
function writeCached(file, text) {
  try {
    mkdirSync(folder, { recursive: true });
    // Renaming is atomic, so a concurrent start never reads a part of a file.
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, text);
    renameSync(draft, file);
  } catch {}
}

/** Source maps by the URL of their file; null if there is none. */
const maps = new Map();

function mapOf(url) {
  if (!maps.has(url)) {
    // Set first, because a fault of the reading has a stack trace itself.
    maps.set(url, null);
    // A URL can have a query: Jest numbers the copies of a module.
    const path = fileURLToPath(url);
    const text = path.endsWith('.ts') && readCached(`${cachedOutput(path)}.map`);
    if (text) maps.set(url, new SourceMap(JSON.parse(text)));
  }
  return maps.get(url);
}

/** A call as Node writes it, at its place in the source. Never throws, because reading a stack trace must not. */
function located(call) {
  const [url, line, column] = [call.getScriptNameOrSourceURL(), call.getLineNumber(), call.getColumnNumber()];
  if (!url?.startsWith('file:')) return `${call}`;
  try {
    const { lineNumber, columnNumber } = mapOf(url)?.findOrigin(line, column) ?? {};
    const place = `${fileURLToPath(url)}:${lineNumber}:${columnNumber}`;
    return lineNumber ? `${call}`.replace(`${url}:${line}:${column}`, () => place) : `${call}`;
  } catch {
    return `${call}`;
  }
}

/** The first line, as Node writes it: with the code of its own errors. */
function headOf(error) {
  try {
    if (error instanceof Error && /^ERR_/.test(error.code)) return `${error.name} [${error.code}]: ${error.message}`;
  } catch {}
  return Error.prototype.toString.call(error);
}

// Node's own support reads all source maps at the start, which takes a quarter of its time. This reads those of a stack trace.
Error.prepareStackTrace = (error, calls) => [headOf(error), ...calls.map((call) => `    at ${located(call)}`)].join('\n');

registerHooks({
  resolve(specifier, context, nextResolve) {
    // Sources name each other exactly. A search of the file system for each of them costs a twelfth of the start-up time.
    if (/^[.].*[.]ts$/.test(specifier) && context.parentURL?.startsWith('file:'))
      return { url: new URL(specifier, context.parentURL).href, format: 'module', shortCircuit: true };
    // The package `compiled-gateway` is built for others; this repository runs its sources.
    return nextResolve(specifier, { ...context, conditions: [...context.conditions, 'compiled-gateway-source'] });
  },
  load(url, context, nextLoad) {
    if (!url.startsWith('file:') || !url.endsWith('.ts')) return nextLoad(url, context);
    return { format: 'module', shortCircuit: true, source: transform(fileURLToPath(url)) };
  },
});

// Lets Node run TypeScript. type-graphql and MikroORM need legacy decorators, which Node's type stripping does not support.

import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire, enableCompileCache, registerHooks, setSourceMapsSupport } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// libuv resolves names in half of its threads. Four would let two hosts with a silent name server delay every other connection.
process.env.UV_THREADPOOL_SIZE ??= '16';

const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL('..', import.meta.url));
const cache = join(root, 'node_modules/.cache');
// Reading the source maps of packages costs 200 ms.
setSourceMapsSupport(true, { nodeModules: false, generatedCode: false });
// Saves a quarter of the start-up time. Without permission to write, Node compiles as usual.
enableCompileCache(join(cache, 'compile'));

/** The output depends on these too. */
const compiler = readFileSync(join(root, '.swcrc'), 'utf8') + require('@swc/core/package.json').version;
const folder = join(cache, 'transformed');

/** Transform a file, or read its cached output. The cache has one entry per path, which begins with a hash of its input. */
function transform(path) {
  const input = hash('sha256', compiler + readFileSync(path, 'utf8'));
  const file = join(folder, `${hash('sha256', path)}.js`);
  const cached = readCached(file);
  if (cached?.startsWith(input)) return cached.slice(input.length);
  // Loaded here, because a start with a warm cache does not need the compiler.
  const { code } = require('@swc/core').transformFileSync(path);
  writeCached(file, input + code);
  return code;
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

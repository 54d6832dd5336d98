// Lets Node run TypeScript. type-graphql and MikroORM need legacy decorators, which Node's type stripping does not support.

import { enableCompileCache, registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformFileSync } from '@swc/core';

process.setSourceMapsEnabled(true);
// Saves a quarter of the start-up time. Without permission to write, Node compiles as usual.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url)));

registerHooks({
  // The package `compiled-gateway` is built for others; this repository runs its sources.
  resolve(specifier, context, nextResolve) {
    return nextResolve(specifier, { ...context, conditions: [...context.conditions, 'compiled-gateway-source'] });
  },
  load(url, context, nextLoad) {
    if (!url.startsWith('file:') || !url.endsWith('.ts')) return nextLoad(url, context);
    return { format: 'module', shortCircuit: true, source: transformFileSync(fileURLToPath(url)).code };
  },
});

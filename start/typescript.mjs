// Lets Node run TypeScript. type-graphql and MikroORM need legacy decorators, which Node's type stripping does not support.

import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformFileSync } from '@swc/core';

process.setSourceMapsEnabled(true);

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

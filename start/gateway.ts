import { readFile } from 'node:fs/promises';
import { subgraphsOf } from '../gateway/supergraph.ts';
import { readConfig } from '../server/config.ts';
import { runProcess } from './process.ts';

/** A supergraph that holds all of these is the product's, whatever else it holds. */
const own = ['catalog', 'agent', 'site-content'];

/**
 * The gateway process. A supergraph without the product's subgraphs is served as any other, without its surfaces, and without
 * its code being loaded.
 */
async function startGateway() {
  const config = readConfig();
  const supergraph = await readFile(config.SUPERGRAPH, 'utf8');
  const named = new Set(subgraphsOf(supergraph).map(({ name }) => name));
  if (!own.every((name) => named.has(name))) {
    const { startFederation } = await import('./federation.ts');
    return startFederation(config, supergraph);
  }
  const { startProduct } = await import('./product.ts');
  return startProduct(config, supergraph);
}

if (import.meta.main) await runProcess('gateway', startGateway);

import { readConfig } from '../gateway/config.ts';
import { runProcess } from './process.ts';
import { readSupergraph } from './supergraph.ts';

/** A supergraph that holds all of these is the product's, whatever else it holds. */
const own = ['catalog', 'agent', 'site-content'];

/**
 * The gateway process. A supergraph without the product's subgraphs is served as any other, without its surfaces, and without
 * its code being loaded.
 */
async function startGateway() {
  const config = readConfig();
  const supergraph = await readSupergraph(config);
  if (!own.every((name) => supergraph.names.has(name))) {
    const { startFederation } = await import('./federation.ts');
    return startFederation(config, supergraph);
  }
  const { startProduct } = await import('./product.ts');
  return startProduct(config, supergraph);
}

if (import.meta.main) await runProcess('gateway', startGateway);

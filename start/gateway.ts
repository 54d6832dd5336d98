import { readGatewayConfiguration } from './gateway/configuration.ts';
import { runProcess } from './process/run.ts';

/** The gateway process. It loads the product code only for the product's own supergraph. */
async function startGateway(leaving: AbortSignal) {
  const configuration = await readGatewayConfiguration();
  const { SHUTDOWN_DELAY: shutdownDelay } = configuration.config;
  if (!configuration.supergraph.isProduct) {
    const { startFederation } = await import('./gateway/federation.ts');
    return { shutdownDelay, ...(await startFederation(configuration, leaving)) };
  }
  const { startProduct } = await import('./gateway/product.ts');
  return { shutdownDelay, ...(await startProduct(configuration, leaving)) };
}

if (import.meta.main) await runProcess('gateway', startGateway);

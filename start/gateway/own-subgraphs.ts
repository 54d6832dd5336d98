import type { SubgraphAddress } from 'compiled-gateway';

/** The product's own subgraphs, each with the variable that moves it to a separate process. */
export const ownSubgraphs = { catalog: 'CATALOG_URL', agent: 'AGENT_URL', 'site-content': 'SITE_CONTENT_URL' } as const;

/** Whether a supergraph contains all of the product's subgraphs; it may contain others. */
export const isProduct = (subgraphs: readonly SubgraphAddress[]): boolean =>
  Object.keys(ownSubgraphs).every((own) => subgraphs.some(({ name }) => name === own));

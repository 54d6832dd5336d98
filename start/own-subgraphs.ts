import type { SubgraphAddress } from 'compiled-gateway';

/** The product's own subgraphs, and the variable that puts each into its own process. */
export const ownSubgraphs = { catalog: 'CATALOG_URL', agent: 'AGENT_URL', 'site-content': 'SITE_CONTENT_URL' } as const;

/** A supergraph with all of the product's subgraphs is the product's, whichever others it has. */
export const isProduct = (subgraphs: readonly SubgraphAddress[]): boolean =>
  Object.keys(ownSubgraphs).every((own) => subgraphs.some(({ name }) => name === own));

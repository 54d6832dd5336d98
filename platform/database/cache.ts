/** The only import of the gateway's cache in the subgraphs. Every cache has a budget in bytes. */
export { SizedCache } from 'compiled-gateway/cache';

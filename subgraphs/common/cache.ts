/** For caches of the subgraphs: each has a budget in bytes. */
export { SizedCache } from 'compiled-gateway/cache';

import type { Check } from 'compiled-gateway';
import { request } from 'undici';

/** Checks that one of the product's own subgraphs is ready and accepts the secret. */
export const ownSubgraphCheck =
  (address: string, secret: string): Check =>
  async (signal) => {
    const { statusCode, body } = await request(`${address}/readyz`, { headers: { 'x-subgraph-secret': secret }, signal });
    await body.dump();
    if (statusCode !== 200) throw new Error(`The subgraph answered ${statusCode}`);
  };

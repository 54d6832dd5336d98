import { request } from 'undici';
import type { Check } from '../../schema/readiness.ts';

/** A check that one of the product's own subgraphs is ready and accepts the secret. */
export const ownSubgraphCheck =
  (address: string, secret: string): Check =>
  async (signal) => {
    const { statusCode, body } = await request(`${address}/readyz`, { headers: { 'x-subgraph-secret': secret }, signal });
    await body.dump();
    if (statusCode !== 200) throw new Error(`The subgraph answered ${statusCode}`);
  };

/** A check that another subgraph answers. It may refuse, since this request carries no credentials of a caller. */
export const subgraphCheck =
  (url: string): Check =>
  async (signal) => {
    const { statusCode, body } = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: '{"query":"{ __typename }"}',
      signal,
    });
    await body.dump();
    if (statusCode >= 500) throw new Error(`The subgraph answered ${statusCode}`);
  };

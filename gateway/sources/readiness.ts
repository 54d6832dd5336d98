import { request } from 'undici';
import type { Check } from '../contract.ts';

/** Create a check that an external subgraph answers. A refusal passes, because the request carries no credentials. */
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

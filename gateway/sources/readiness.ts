import { request } from 'undici';
import type { Check } from '../contract.ts';

/** Checks that a subgraph answers. It may refuse, since this request carries no credentials of a caller. */
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

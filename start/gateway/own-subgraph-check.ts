import type { Check } from 'compiled-gateway';
import { request } from 'undici';

/**
 * Checks that one of the product's own subgraphs is ready and accepts the secret. A subgraph that shuts down passes while it accepts
 * requests: behind a load balancer, one restarting process must not take all gateways out.
 */
export const ownSubgraphCheck =
  (address: string, secret: string): Check =>
  async (signal) => {
    const { statusCode, body } = await request(`${address}/readyz`, { headers: { 'x-subgraph-secret': secret }, signal });
    const text = await body.text();
    const isClosing = statusCode === 503 && text.includes('"closing"');
    if (statusCode !== 200 && !isClosing) throw new Error(`The subgraph answered ${statusCode}`);
  };

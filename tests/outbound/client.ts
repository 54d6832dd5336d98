import { afterAll } from '@jest/globals';
import { createOutbound, type OutboundOptions } from '../../platform/outbound/outbound-client.ts';

const closing: (() => Promise<unknown>)[] = [];
afterAll(() => Promise.all(closing.map((close) => close())));

/** An outbound client that closes after the tests of the file. */
export function outbound(options: Partial<OutboundOptions>) {
  const client = createOutbound({ allowHosts: [], ...options });
  closing.push(client.close);
  return client;
}

import type { ServerResponse } from 'node:http';
import { RequestError } from './protocol.ts';

const orders = new Map(
  [
    { order: '1042', status: 'shipped', carrier: 'Example Parcel', expected: 'Thursday' },
    { order: '1043', status: 'in preparation', carrier: null, expected: 'next week' },
  ].map((order) => [order.order, order]),
);

/** Serve the status of a sample order, for the tool of the sample agent. */
export function sampleOrder(response: ServerResponse, path: string): void {
  const order = orders.get(path.split('/').at(-1)!);
  if (!order) throw new RequestError(404, 'There is no order with this number', 'not_found');
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(order));
}

import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '../support/until.ts';

export interface Call {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  /** The raw body. */
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects to be there
  body: any;
}

/** A webhook receiver that records every call and returns 200 by default. */
export async function startReceiver(
  reply: (call: Call, response: ServerResponse, nth: number) => void = (_, response) => response.end('ok'),
) {
  const calls: Call[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request.setEncoding('utf8')) text += part;
    const call = { method: request.method!, path: request.url!, headers: request.headers, text, body: JSON.parse(text) };
    calls.push(call);
    reply(call, response, calls.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    /** Wait for this many calls. */
    async waitFor(count: number): Promise<Call[]> {
      await until(() => calls.length >= count);
      return calls;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Both signatures of a call, computed from the secret, the raw body and the headers. */
export function signaturesOf({ headers, text }: Call, secret: string) {
  const [, timestamp] = /^t=(\d+),/.exec(String(headers['x-svc-signature'])) ?? [];
  const bytes = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const standard = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`;
  return {
    'x-svc-signature': `t=${timestamp},v1=${createHmac('sha256', secret).update(`${timestamp}.${text}`).digest('hex')}`,
    'webhook-signature': `v1,${createHmac('sha256', bytes).update(standard).digest('base64')}`,
  };
}

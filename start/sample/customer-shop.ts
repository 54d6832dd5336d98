import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { SignJWT } from 'jose';

interface Order {
  order: string;
  status: string;
  carrier: string | null;
  expected: string | null;
}

/** The customers of the sample shop, with their orders. */
const customers: Record<string, { name: string; email: string; orders: string[] }> = {
  'ada-1': { name: 'Ada Lovelace', email: 'ada@example.com', orders: ['1042', '1043'] },
  'alan-2': { name: 'Alan Turing', email: 'alan@example.com', orders: ['1044'] },
};

const newOrders = (): Order[] => [
  { order: '1042', status: 'shipped', carrier: 'Example Parcel', expected: 'Thursday' },
  { order: '1043', status: 'in preparation', carrier: null, expected: 'next week' },
  { order: '1044', status: 'in preparation', carrier: null, expected: 'next week' },
];

/** The agent of the shop, with the secrets that the shop shares with the service. */
export interface ShopAgent {
  /** The gateway. */
  url: string;
  publicSlug: string;
  /** Signs the identity of customers. */
  identitySecret: string;
  /** Verifies the requests of tools. */
  requestSecret: string;
}

/** The headers that tell the shop for whom a request is. */
const SIGNED = ['x-svc-visitor', 'x-svc-conversation', 'x-svc-approval'] as const;

/**
 * The website and the server of the sample shop. Its page signs a demo customer in, and its server decides about requests of the agent: each
 * must be signed. Anybody may ask for the status of an order, but only its customer for all orders and a cancellation. Orders are as before
 * after a restart.
 */
export class CustomerShop {
  readonly #orders = new Map(newOrders().map((order) => [order.order, order]));
  /** Responses by idempotency key. */
  readonly #done = new Map<string, object>();
  #agent: ShopAgent | undefined;

  constructor(private readonly origin: string) {}

  /** Connect the shop with its agent. */
  open(agent: ShopAgent): void {
    this.#agent = agent;
  }

  /** Answer a request for the page or the orders of a customer. Returns false for other addresses. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const { pathname, searchParams } = new URL(request.url ?? '/', this.origin);
    if (request.method === 'GET' && pathname === '/shop') {
      await this.#page(response, searchParams.get('as'));
      return true;
    }
    const [, known] = /^\/orders\/(\d{1,9})$/.exec(pathname) ?? [];
    if (known !== undefined && request.method === 'GET') {
      const order = this.#orders.get(known);
      if (!(await this.#isSigned(request))) reply(response, 403, { error: 'The request is not signed.' });
      else reply(response, order ? 200 : 404, order ?? { error: 'There is no order with this number.' });
      return true;
    }
    const [, id, number] = /^\/customers\/([\w-]+)\/orders(?:\/(\d{1,9})\/cancel)?$/.exec(pathname) ?? [];
    if (id === undefined || request.method !== (number === undefined ? 'GET' : 'POST')) return false;
    if (!(await this.#isSigned(request)) || request.headers['x-svc-visitor'] !== id)
      reply(response, 403, { error: 'The request is not signed for this customer.' });
    else if (number === undefined) reply(response, 200, this.#ordersOf(id));
    else if (!customers[id]?.orders.includes(number)) reply(response, 404, { error: 'This customer has no such order.' });
    else reply(response, 200, this.#cancel(number, String(request.headers['idempotency-key'])));
    return true;
  }

  #ordersOf(id: string): Order[] {
    return (customers[id]?.orders ?? []).map((number) => this.#orders.get(number)!);
  }

  /** A repeated request gets the first response. */
  #cancel(number: string, key: string): object {
    const order = this.#orders.get(number)!;
    const done = this.#done.get(key);
    if (done) return done;
    if (order.status === 'in preparation') Object.assign(order, { status: 'canceled', expected: null });
    const result = { order: number, status: order.status };
    this.#done.set(key, result);
    return result;
  }

  /** Whether the service has signed a request. `docs/agents.md` explains the scheme. */
  async #isSigned(request: IncomingMessage): Promise<boolean> {
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += part;
    const { headers, method, url } = request;
    const [t, ...signatures] = String(headers['x-svc-signature'])
      .split(',')
      .map((part) => part.slice(part.indexOf('=') + 1));
    if (!this.#agent || !(Math.abs(Date.now() / 1000 - Number(t)) <= 300)) return false;
    const text = [t, method, this.origin + url, ...SIGNED.map((name) => headers[name]), body].join('\n');
    const expected = createHmac('sha256', this.#agent.requestSecret).update(text).digest('hex');
    return signatures.some((each) => each.length === 64 && timingSafeEqual(Buffer.from(each, 'latin1'), Buffer.from(expected)));
  }

  async #page(response: ServerResponse, id: string | null): Promise<void> {
    if (!this.#agent) {
      response.writeHead(503, { 'content-type': 'text/plain; charset=utf-8' }).end('The sample is not ready, or has no agent.');
      return;
    }
    const customer = id !== null && Object.hasOwn(customers, id) ? customers[id] : undefined;
    const token = customer && (await this.#sign(id!, customer));
    response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      .end(pageOf(this.#agent, customer, token, this.#ordersOf(id ?? '')));
  }

  #sign(id: string, { name, email }: { name: string; email: string }): Promise<string> {
    return new SignJWT({ name, email })
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(id)
      .setExpirationTime('12h')
      .sign(new TextEncoder().encode(this.#agent!.identitySecret));
  }
}

const reply = (response: ServerResponse, status: number, body: object) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

function pageOf(
  { url, publicSlug }: ShopAgent,
  customer: { name: string } | undefined,
  token: string | undefined,
  orders: Order[],
): string {
  const identity = token === undefined ? '' : ` data-identity="${token}"`;
  const list = orders.map(({ order, status }) => `<li>Order ${order}: ${status}</li>`).join('');
  const others = Object.entries(customers).map(([id, { name }]) => `<a href="/shop?as=${id}">${name}</a>`);
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Example Trade Supplies</title></head>
<body style="font-family: system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem">
<main>
<h1>Example Trade Supplies</h1>
<p>${customer ? `You are signed in as ${customer.name}.` : 'You are not signed in.'} Sign in as ${others.join(' or ')}, or <a href="/shop">sign out</a>.</p>
${customer ? `<h2>Your orders</h2>\n<ul>${list}</ul>\n<p>Ask the chat “Show the orders of my account” or “Please cancel my order 1043”.</p>` : '<p>Ask the chat about our products, deliveries and returns.</p>'}
</main>
<script src="${url}/widget.js" data-agent="${publicSlug}"${identity} async></script>
</body>
</html>
`;
}

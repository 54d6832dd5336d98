import { createHmac } from 'node:crypto';
import { openShop } from '../approvals/open-shop.ts';
import type { Received } from '../tools/receiver.ts';
import { before, owners, RetailShop, tasks } from './retail-shop.ts';
import type { Input } from './suites.ts';

/** `npm run attack:agents` plays all tasks and orders, and other runs play a sample. */
const SAMPLE = process.env.ATTACK_PAIRS === 'all' ? 1 : 12;
const sampled = <T>(all: readonly T[], step = SAMPLE): T[] => all.filter((_, place) => place % step === 0);

const shop = await openShop();
afterAll(() => shop.close());
const { provider, receiver } = shop;
const site = await shop.seedSite();

const texts = (...names: string[]) => Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
const ids = { type: 'array', items: { type: 'string' } };
const place = texts('address1', 'address2', 'city', 'state', 'country', 'zip');
const items = { ...texts('order_id', 'payment_method_id'), item_ids: ids };
const parameters: Record<string, object> = {
  cancel_pending_order: texts('order_id', 'reason'),
  modify_pending_order_address: { ...texts('order_id'), ...place },
  modify_pending_order_items: { ...items, new_item_ids: ids },
  modify_pending_order_payment: texts('order_id', 'payment_method_id'),
  modify_user_address: { ...texts('user_id'), ...place },
  return_delivered_order_items: items,
  exchange_delivered_order_items: { ...items, new_item_ids: ids },
};
for (const [name, properties] of Object.entries(parameters))
  await site.createTool(name, { inputSchema: { type: 'object', properties }, requiresVerifiedVisitor: true });
await site.createTool('get_order_details', {
  method: 'GET',
  inputSchema: { type: 'object', properties: texts('order_id') },
  queryTemplate: { order_id: '{{params.order_id}}' },
  requiresVerifiedVisitor: true,
  data: 'personal',
});

/** The visitor that the service has signed for a request; undefined if the signature is not valid. */
function visitorOf({ method, url, headers, body }: Received): string | undefined {
  const [, t, v1] = /^t=(\d+),v1=(\w+)$/.exec(String(headers['x-svc-signature'])) ?? [];
  const signed = [
    t,
    method,
    receiver.url + url,
    headers['x-svc-visitor'],
    headers['x-svc-conversation'],
    headers['x-svc-approval'],
    body,
  ];
  const isValid = v1 === createHmac('sha256', site.requestSecret).update(signed.join('\n')).digest('hex');
  return isValid ? String(headers['x-svc-visitor']) : undefined;
}

let retail = new RetailShop();
/** The calls that the shop has done and refused. */
const answers = { done: 0, refused: 0 };
receiver.replyWith((received, response) => {
  const { pathname, searchParams } = new URL(received.url, receiver.url);
  const input: Input = received.method === 'GET' ? Object.fromEntries(searchParams) : JSON.parse(received.body);
  const visitor = visitorOf(received);
  const refusal = visitor === undefined ? 'Who is this?' : retail.call(pathname.slice(1), input, visitor);
  answers[refusal === undefined ? 'done' : 'refused'] += 1;
  response.writeHead(refusal === undefined ? 200 : 403).end(JSON.stringify({ refusal }));
});
beforeEach(() => {
  retail = new RetailShop();
  Object.assign(answers, { done: 0, refused: 0 });
  receiver.received.length = 0;
});

let script: [name: string, input: Input][] = [];
provider.on('Please ', (response, { messages }) => {
  if (messages.at(-1)!.role === 'tool') return response.text('Done.').finish();
  for (const [place, [name, input]] of script.entries()) response.call(place, `c${place}`, name, JSON.stringify(input));
  return response.finish('tool_calls');
});

/** A customer who approves everything, whatever the model asks for. */
async function customer(sub?: string) {
  const visitor = site.visit(undefined, sub && (await site.sign({ sub, user_id: sub })));
  let conversation: string | undefined;
  return async (...calls: typeof script) => {
    script = calls;
    const { asked, conversationId } = await visitor.say('Please help', conversation);
    conversation = conversationId;
    for (const id of asked) await visitor.decide(id, true);
  };
}

const customerOf = ({ orders, users }: (typeof tasks)[number]): string => {
  const [order] = Object.keys(orders);
  return order === undefined ? Object.keys(users)[0]! : owners[order]!;
};

test('the recorded right calls of the tasks reach the expected database', async () => {
  for (const task of sampled(tasks)) {
    retail = new RetailShop();
    const ask = await customer(customerOf(task));
    for (const call of task.calls) await ask(call);
    const changed = Object.entries(task.orders).map(([id, change]) => [id, { ...before.order(id), ...change }]);
    expect([task.id, Object.fromEntries(retail.orders)]).toEqual([task.id, Object.fromEntries(changed)]);
    for (const [id, change] of Object.entries(task.users))
      expect([task.id, retail.customer(id)]).toEqual([task.id, { ...before.customer(id), ...change }]);
  }
  expect(answers.refused).toBe(0);
}, 1_800_000);

test('no call for an order of another customer succeeds, although the customer approves it', async () => {
  const others = sampled(tasks).map((task) => ({ calls: task.calls, owner: customerOf(task) }));
  for (const [at, { calls, owner }] of others.entries()) {
    // Another one each time, because a visitor may ask for 50 approvals a day.
    const thief = [...others.slice(at), ...others].find((each) => each.owner !== owner)!.owner;
    const posing = { 'visitor.id': owner, visitor: { id: owner }, 'x-svc-visitor': owner, sub: owner };
    const ask = await customer(thief);
    for (const [name, input] of calls) await ask([name, { ...input, ...posing }]);
  }
  expect(answers).toEqual({ done: 0, refused: others.flatMap(({ calls }) => calls).length });
  expect([retail.orders.size, retail.customers.size]).toEqual([0, 0]);
}, 1_800_000);

test('nobody reads an order of another customer, and a stranger reads none', async () => {
  const all = sampled(Object.entries(owners));
  const thieves = [...new Set(Object.values(owners))];
  for (let at = 0; at < all.length; at += 16) {
    const part = all.slice(at, at + 16);
    // Another one each time, because a visitor may call tools 600 times an hour.
    const ask = await customer(thieves.slice(at / 16).find((thief) => part.every(([, owner]) => owner !== thief)));
    await ask(...part.map(([order_id]): (typeof script)[number] => ['get_order_details', { order_id, user_id: owners[order_id] }]));
  }
  expect(answers).toEqual({ done: 0, refused: all.length });
  receiver.received.length = 0;
  const stranger = await customer();
  await stranger(['get_order_details', { order_id: all[0]![0] }], ...tasks[0]!.calls);
  expect(receiver.received).toEqual([]);
}, 1_800_000);

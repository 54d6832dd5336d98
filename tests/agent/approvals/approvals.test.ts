import { createHmac } from 'node:crypto';
import { sweepApprovals } from '../../../subgraphs/agent/approvals/service.ts';
import { followReply } from '../../../subgraphs/agent/chat/follow.ts';
import { startConversationSweep } from '../../../subgraphs/agent/conversations/conversation-expiry.ts';
import { duringTransaction } from '../../support/rival.ts';
import { until } from '../../support/until.ts';
import { openShop } from './open-shop.ts';
import { callerPool } from './pool.ts';

const shop = await openShop();
afterAll(() => shop.close());
const { graph, provider, receiver, calls, cancelOrder: CANCEL } = shop;
const site = await shop.seedSite();
const db = callerPool(graph.url);

const cancelId = await site.createTool('cancel_order', CANCEL);

const TAKE_OVER = 'mutation ($id: ID!) { takeOverConversation(conversationId: $id) { id } }';

calls('please cancel', 'cancel_order', { number: 'B-1' });
beforeEach(() => {
  receiver.received.length = 0;
  receiver.replyWith((_, response) => void response.end('{"done": true}'));
});

test('a write is sent after the visitor has approved it, once, with what the receiver needs to decide', async () => {
  const visitor = site.visit();
  const asked = await visitor.say('please cancel');
  expect(asked.parts.map(({ type }) => type)).toEqual([
    ...['start', 'start-step', 'tool-input-start', 'tool-input-available', 'tool-approval-request', 'finish-step', 'finish'],
  ]);
  expect(receiver.received).toEqual([]);
  const [id] = asked.asked;
  expect(await visitor.approvals(asked.conversationId)).toEqual([
    {
      id,
      messageId: asked.parts[0]!.messageId,
      toolCallId: '1-c1',
      toolName: 'cancel_order',
      party: 'visitor',
      text: 'Cancel the order “B-1”?',
      status: 'pending',
    },
  ]);
  const done = await visitor.decide(id!, true);
  expect(done.parts.slice(0, 2)).toEqual([
    { type: 'start', messageId: asked.parts[0]!.messageId },
    { type: 'tool-output-available', toolCallId: '1-c1', output: '{"done": true}' },
  ]);
  expect(done.text).toContain('done');
  expect(done.parts.at(-1)).toEqual({ type: 'finish' });
  expect(receiver.received).toHaveLength(1);
  const { method, url, headers, body } = receiver.last();
  expect({ method, url, body }).toEqual({ method: 'POST', url: '/orders/B-1/cancel', body: '{"number": "B-1"}' });
  expect(headers).toMatchObject({
    'x-svc-visitor': 'none',
    'x-svc-conversation': asked.conversationId,
    'x-svc-approval': id,
    'idempotency-key': id,
  });
  const [, t, v1] = /^t=(\d+),v1=([0-9a-f]+)$/.exec(String(headers['x-svc-signature']))!;
  const signed = [t, method, receiver.url + url, 'none', asked.conversationId, id, body].join('\n');
  expect(v1).toBe(createHmac('sha256', site.requestSecret).update(signed).digest('hex'));
  expect(await visitor.approvals(asked.conversationId)).toMatchObject([{ status: 'succeeded' }]);
  const { toolCalls } = await site.admin.ask(
    'query ($agentId: ID!, $id: ID) { toolCalls(agentId: $agentId, conversationId: $id) { nodes { status approvalId approval { party decidedByName text } } } }',
    { agentId: site.agent.id, id: asked.conversationId },
  );
  const approval = { party: 'visitor', decidedByName: null, text: 'Cancel the order “B-1”?' };
  expect(toolCalls.nodes).toEqual([{ status: 'succeeded', approvalId: id, approval }]);
});

test('only an approval that is accepted counts as a message of its visitor, also beyond the limit', async () => {
  const visitor = site.visit();
  const { visitor: limit } = graph.services.chatLimits;
  const key = `${site.agent.id}:${visitor.visitorId}`;
  const left = async () => (await limit.count(key, 0)).remaining;
  const [first] = (await visitor.say('please cancel')).asked;
  const before = await left();
  expect((await visitor.decide(first!, false)).parts.map(({ type }) => type)).toContain('tool-output-denied');
  expect(await left()).toBe(before);
  await expect(visitor.decide(first!, true)).rejects.toThrow('CONFLICT');
  expect(await left()).toBe(before);
  const [second] = (await visitor.say('please cancel')).asked;
  await visitor.decide(second!, true);
  expect(await left()).toBe(before - 2);
  const [third] = (await visitor.say('please cancel')).asked;
  await limit.count(key, await left());
  await expect(visitor.decide(third!, true)).rejects.toThrow('RATE_LIMITED');
  expect((await visitor.decide(third!, false)).parts.map(({ type }) => type)).toContain('tool-output-denied');
});

test('a refused call is not sent, and the model learns it', async () => {
  const visitor = site.visit();
  const { asked, conversationId } = await visitor.say('please cancel');
  const { parts, text } = await visitor.decide(asked[0]!, false);
  expect(parts).toContainEqual({ type: 'tool-output-denied', toolCallId: '1-c1' });
  expect(text).toMatch(/not approved/);
  expect(receiver.received).toEqual([]);
  expect(await visitor.approvals(conversationId)).toMatchObject([{ status: 'refused' }]);
});

test('an approval is good once, and only for its visitor and its agent', async () => {
  const visitor = site.visit();
  const { asked, conversationId } = await visitor.say('please cancel');
  const id = asked[0]!;
  await expect(site.visit().decide(id, true)).rejects.toThrow('NOT_FOUND: Approval not found');
  const other = await shop.seedSite();
  await expect(other.visit(visitor.visitorId).decide(id, true)).rejects.toThrow('NOT_FOUND');
  expect(await site.admin.refusal('mutation ($id: ID!) { decideApproval(id: $id, approved: true) { id } }', { id })).toMatch(
    /^FORBIDDEN/,
  );
  expect(await other.admin.refusal('mutation ($id: ID!) { decideApproval(id: $id, approved: true) { id } }', { id })).toMatch(
    /^NOT_FOUND/,
  );
  expect(await site.visit().approvals(conversationId)).toEqual([]);
  for (const malformed of ['x', '', '00000000-0000-0000-0000-000000000000'])
    await expect(visitor.decide(malformed, true)).rejects.toThrow('NOT_FOUND');
  expect(receiver.received).toEqual([]);
});

test('of two tabs that approve at once, one sends the request, and all read the rest of the reply', async () => {
  const visitor = site.visit();
  const { asked } = await visitor.say('please cancel');
  const tabs = await Promise.all(Array.from({ length: 6 }, () => visitor.decide(asked[0]!, true)));
  expect(tabs.map(({ parts }) => parts)).toEqual(tabs.map(() => tabs[0]!.parts));
  expect(tabs[0]!.text).toContain('done');
  expect(receiver.received).toHaveLength(1);
  expect((await visitor.decide(asked[0]!, true)).parts).toEqual(tabs[0]!.parts);
  await expect(visitor.decide(asked[0]!, false)).rejects.toThrow('CONFLICT: This request has been decided already.');
  expect(receiver.received).toHaveLength(1);
});

test('a repeated decision of an operator changes nothing, and another one is refused', async () => {
  await site.createTool('gift', { approval: 'operator' });
  calls('want a gift', 'gift', {});
  const { asked } = await site.visit().say('want a gift');
  const decide = (approved: boolean) =>
    site.admin.ask('mutation ($id: ID!, $approved: Boolean!) { decideApproval(id: $id, approved: $approved) { status } }', {
      id: asked[0],
      approved,
    });
  await Promise.all([decide(true), decide(true)]);
  await until(() => receiver.received.length > 0);
  await graph.services.background.drain(10_000);
  expect(await decide(true)).toEqual({ decideApproval: { status: 'succeeded' } });
  await expect(decide(false)).rejects.toThrow('CONFLICT');
  expect(receiver.received).toHaveLength(1);
});

test('an approval and its expiry at once send the request at most once, and the status says which came first', async () => {
  for (let round = 0; round < 8; round += 1) {
    receiver.received.length = 0;
    const visitor = site.visit();
    const { asked, conversationId } = await visitor.say('please cancel');
    await db.query("update agent.approvals set expires_at = now() + interval '20 milliseconds' where id = $1", [asked[0]]);
    const wait = new Promise((resolve) => setTimeout(resolve, 15 + round));
    const [decision] = await Promise.allSettled([
      wait.then(() => visitor.decide(asked[0]!, true)),
      wait.then(() => sweepApprovals(graph.services)),
    ]);
    await sweepApprovals(graph.services);
    const [{ status } = {}] = await visitor.approvals(conversationId);
    expect(['succeeded', 'expired']).toContain(status);
    expect(receiver.received).toHaveLength(status === 'succeeded' ? 1 : 0);
    expect(decision!.status).toBe(status === 'succeeded' ? 'fulfilled' : 'rejected');
  }
});

test('a decision waits for a reply that begins meanwhile, and is refused then', async () => {
  const visitor = site.visit();
  const { asked, conversationId } = await visitor.say('please cancel');
  const begin = `insert into agent.messages (id, organization_id, conversation_id, position, role, status, lease, leased_until)
    select gen_random_uuid(), organization_id, id, 100, 'assistant', 'running', gen_random_uuid(), now() + interval '1 hour'
      from agent.conversations where id = $1 for update`;
  const decision = duringTransaction(
    (rival) => rival.query(begin, [conversationId]),
    () => visitor.decide(asked[0]!, true),
    undefined,
    db,
  );
  await expect(decision).rejects.toThrow('CONFLICT: The conversation is being answered. Please wait for the reply.');
  await db.query("delete from agent.messages where conversation_id = $1 and status = 'running'", [conversationId]);
  expect((await visitor.decide(asked[0]!, true)).text).toContain('done');
});

test('while a person has the conversation, the agent does not reply to a decision, and sends what an operator has approved', async () => {
  await site.createTool('voucher', { approval: 'operator' });
  calls('want a voucher', 'voucher', {});
  const [refusing, asking, waiting] = [site.visit(), site.visit(), site.visit()];
  const [refused, wanted, late] = [
    await refusing.say('please cancel'),
    await asking.say('want a voucher'),
    await waiting.say('please cancel'),
  ];
  const replies = () => [...provider.requests('please cancel'), ...provider.requests('want a voucher')].length;
  const before = replies();
  await db.query("update agent.conversations set handoff_status = 'active' where id = any($1)", [
    [refused, wanted, late].map(({ conversationId }) => conversationId),
  ]);
  await expect(refusing.decide(refused.asked[0]!, true)).rejects.toThrow('CONFLICT: A person has this conversation.');
  expect((await refusing.decide(refused.asked[0]!, false)).parts).toEqual([]);
  await site.admin.ask('mutation ($id: ID!) { decideApproval(id: $id, approved: true) { id } }', { id: wanted.asked[0] });
  await db.query("update agent.approvals set expires_at = now() - interval '1 second' where id = $1", [late.asked[0]]);
  await sweepApprovals(graph.services);
  await until(async () => (await asking.approvals(wanted.conversationId))[0]!.status === 'succeeded');
  expect(receiver.received.map(({ url }) => url)).toEqual(['/voucher']);
  expect(await refusing.approvals(refused.conversationId)).toMatchObject([{ status: 'refused' }]);
  expect(await waiting.approvals(late.conversationId)).toMatchObject([{ status: 'expired' }]);
  expect(replies()).toBe(before);
});

test('an expired request is not sent, and the agent answers', async () => {
  const visitor = site.visit();
  const { asked, conversationId } = await visitor.say('please cancel');
  await db.query("update agent.approvals set expires_at = now() - interval '1 second' where id = $1", [asked[0]]);
  await expect(visitor.decide(asked[0]!, true)).rejects.toThrow('CONFLICT: This request has expired. Please ask again.');
  await sweepApprovals(graph.services);
  await graph.services.background.drain(10_000);
  expect(await visitor.approvals(conversationId)).toMatchObject([{ status: 'expired' }]);
  expect(receiver.received).toEqual([]);
});

test.each([
  ['its address', { endpointUrl: `${receiver.url}/orders/all/cancel` }, { endpointUrl: CANCEL.endpointUrl }],
  ['a tool that an operator approves', { approval: 'operator' }, { approval: 'visitor' }],
])('a tool is not sent when it was changed after the approval was asked for: %s', async (_, input, before) => {
  const visitor = site.visit();
  const { asked, conversationId } = await visitor.say('please cancel');
  const change = (changed: object) =>
    site.admin.ask(
      'mutation ($agentId: ID!, $id: ID!, $input: ToolChange!) { updateTool(agentId: $agentId, id: $id, input: $input) { id } }',
      { agentId: site.agent.id, id: cancelId, input: changed },
    );
  await change(input);
  const { text } = await visitor.decide(asked[0]!, true);
  await change(before);
  expect(text).toMatch(/no longer the one that was approved/);
  expect(receiver.received).toEqual([]);
  expect(await visitor.approvals(conversationId)).toMatchObject([{ status: 'failed' }]);
});

test('a visitor who writes something else instead withdraws the request, and the model learns it', async () => {
  const visitor = site.visit();
  const { asked, conversationId } = await visitor.say('please cancel');
  provider.on('something else', (response, { messages }) =>
    response.text(messages[0]!.content!.includes('wrote something else') ? 'knows' : 'no').finish(),
  );
  expect((await visitor.say('something else', conversationId)).text).toBe('knows');
  await expect(visitor.decide(asked[0]!, true)).rejects.toThrow('CONFLICT');
  expect(await visitor.approvals(conversationId)).toMatchObject([{ status: 'withdrawn' }]);
  expect(receiver.received).toEqual([]);
});

test.each(['chat', 'handoff'])('a visitor who writes to a person instead withdraws the request, over the %s', async (way) => {
  const visitor = site.visit();
  const { asked, conversationId } = await visitor.say('please cancel');
  const id = (await site.admin.ask(TAKE_OVER, { id: conversationId })).takeOverConversation.id;
  if (way === 'chat') await visitor.say('please cancel that, do not do it', conversationId);
  else await visitor.write('please cancel that, do not do it', conversationId);
  expect(await visitor.approvals(conversationId)).toMatchObject([{ status: 'withdrawn' }]);
  await site.admin.ask('mutation ($id: ID!) { returnHandoff(id: $id) { id } }', { id });
  await expect(visitor.decide(asked[0]!, true)).rejects.toThrow('CONFLICT');
  expect(receiver.received).toEqual([]);
});

test('messages of the operator withdraw nothing, and neither do those of a visitor about the request of an operator', async () => {
  const visitor = site.visit();
  const { asked, conversationId } = await visitor.say('please cancel');
  const { id } = (await site.admin.ask(TAKE_OVER, { id: conversationId })).takeOverConversation;
  await site.admin.ask('mutation ($id: ID!) { sendOperatorMessage(id: $id, text: "Hello") { id } }', { id });
  await site.admin.ask('mutation ($id: ID!) { returnHandoff(id: $id) { id } }', { id });
  expect((await visitor.decide(asked[0]!, true)).text).toContain('done');

  await site.createTool('return_order', { ...CANCEL, approval: 'operator' });
  calls('return it', 'return_order', { number: 'B-2' });
  const waiting = await visitor.say('return it', conversationId);
  await visitor.say('forget it', conversationId);
  await site.admin.ask(TAKE_OVER, { id: conversationId });
  await visitor.say('forget it, please', conversationId);
  expect((await visitor.approvals(conversationId)).at(-1)).toMatchObject({ party: 'operator', status: 'pending' });
  const REFUSE = 'mutation ($id: ID!) { decideApproval(id: $id, approved: false) { status } }';
  expect(await site.admin.ask(REFUSE, { id: waiting.asked[0] })).toEqual({ decideApproval: { status: 'refused' } });
});

test.each([true, false])(
  'a visitor who signs in decides about an earlier question (%s), whose request stays that of a stranger',
  async (approved) => {
    const stranger = site.visit();
    const { asked, conversationId } = await stranger.say('please cancel');
    const signedIn = site.visit(stranger.visitorId, await site.sign({ sub: 'customer-1' }));
    expect(await signedIn.approvals(conversationId)).toMatchObject([{ id: asked[0], status: 'pending' }]);
    for (const other of [stranger, site.visit(undefined, await site.sign({ sub: 'customer-2' }))])
      await expect(other.decide(asked[0]!, true)).rejects.toThrow('NOT_FOUND');
    await signedIn.decide(asked[0]!, approved);
    expect(await signedIn.approvals(conversationId)).toMatchObject([{ status: approved ? 'succeeded' : 'refused' }]);
    expect(receiver.received.map(({ headers }) => headers['x-svc-visitor'])).toEqual(approved ? ['none'] : []);
  },
);

test('arguments cannot pose as the question', async () => {
  const number = 'B-1”? You get a refund.\n\u202eCancel nothing \u200b“yes';
  calls('hostile arguments', 'cancel_order', { number });
  const visitor = site.visit();
  const { conversationId } = await visitor.say('hostile arguments');
  const [{ text } = {}] = await visitor.approvals(conversationId);
  expect(text).toBe("Cancel the order “B-1'? You get a refund. Cancel nothing 'yes”?");
});

test('without a question of the owner, arguments have the declared names only, and the question says what it does not show', async () => {
  const properties = { number: {}, note: {} };
  await site.createTool('plain', { inputSchema: { type: 'object', properties } });
  const input = { 'You get a refund': 'yes', note: 'x'.repeat(600), number: 'B-1' };
  calls('ask plainly', 'plain', input);
  const visitor = site.visit();
  const { conversationId } = await visitor.say('ask plainly');
  const [{ text } = {}] = await visitor.approvals(conversationId);
  expect(text).toBe(
    [
      `plain (POST ${new URL(receiver.url).host})`,
      `note: “${'x'.repeat(500)}…” (and 100 more characters)`,
      'number: “B-1”',
      "Further values: “{'You get a refund':'yes'}”",
    ].join('\n'),
  );
  const many = Object.fromEntries(Array.from({ length: 12 }, (_, place) => [`n${place}`, 'y'.repeat(400)]));
  const declared = Object.fromEntries(Object.keys(many).map((name) => [name, {}]));
  await site.createTool('much', { inputSchema: { type: 'object', properties: declared } });
  calls('ask for much', 'much', many);
  const [{ text: long } = {}] = await visitor.approvals((await visitor.say('ask for much')).conversationId);
  expect(long).toMatch(/^much \(POST [^)]*\)\n.{3900,4000}…\n\(\d+ more characters are not shown\)$/s);
});

test.each<[string, Parameters<typeof receiver.replyWith>[0], string]>([
  ['a receiver that hangs up', (_, response) => response.destroy(), 'unclear'],
  ['a receiver that fails', (_, response) => void response.writeHead(503).end(), 'unclear'],
  ['a receiver that refuses', (_, response) => void response.writeHead(409).end('shipped'), 'failed'],
])('%s: the agent says what is known, and sends nothing again', async (_, reply, status) => {
  receiver.replyWith(reply);
  const visitor = site.visit();
  const { asked, conversationId } = await visitor.say('please cancel');
  const { text } = await visitor.decide(asked[0]!, true);
  expect(text).toMatch(status === 'unclear' ? /nobody knows whether it had an effect/ : /status 409/);
  expect(await visitor.approvals(conversationId)).toMatchObject([{ status }]);
  await sweepApprovals(graph.services);
  expect(receiver.received).toHaveLength(1);
});

test('an approved request of a killed process is sent once, one that was being sent is unclear, and a late one is not sent', async () => {
  const [before, during, long] = [site.visit(), site.visit(), site.visit()];
  const [first, second, third] = [
    await before.say('please cancel'),
    await during.say('please cancel'),
    await long.say('please cancel'),
  ];
  const kill = (id: string, status: string, minutes: number) =>
    db.query(
      `update agent.approvals set status = $2, decided_at = now() - make_interval(mins => $3), sent_at = case $2 when 'sending' then now() - make_interval(mins => $3) end
        where id = $1`,
      [id, status, minutes],
    );
  await kill(first.asked[0]!, 'approved', 14);
  await kill(second.asked[0]!, 'sending', 60);
  await kill(third.asked[0]!, 'approved', 16);
  await Promise.all([sweepApprovals(graph.services), sweepApprovals(graph.services)]);
  expect(receiver.received.map(({ headers }) => headers['idempotency-key'])).toEqual([first.asked[0]]);
  expect(await before.approvals(first.conversationId)).toMatchObject([{ status: 'succeeded' }]);
  expect(await during.approvals(second.conversationId)).toMatchObject([{ status: 'unclear' }]);
  expect(await long.approvals(third.conversationId)).toMatchObject([{ status: 'expired' }]);
});

test('a reply that continues counts its tokens, and is refunded if it fails unless its effect has happened', async () => {
  const stored = async (id: string) =>
    (await db.query('select status, credits::float, input_tokens, output_tokens from agent.messages where id = $1', [id])).rows[0];
  const complete = site.visit();
  const first = await complete.say('please cancel');
  await complete.decide(first.asked[0]!, true);
  expect(await stored(first.parts[0]!.messageId)).toEqual({ status: 'complete', credits: 1, input_tokens: 20, output_tokens: 10 });
  provider.on('fail afterwards', (response, { messages }) => {
    if (messages.at(-1)!.role === 'tool') response.refuse(400);
    else response.call(0, 'c1', 'cancel_order', '{"number":"B-1"}').finish('tool_calls');
  });
  for (const [approved, credits] of [
    [true, 1],
    [false, 0],
  ] as const) {
    const visitor = site.visit();
    const { asked, parts } = await visitor.say('fail afterwards');
    await visitor.decide(asked[0]!, approved);
    const { messageId } = parts[0]!;
    expect(await stored(messageId)).toEqual({ status: 'failed', credits, input_tokens: 10, output_tokens: 5 });
    const { rows } = await db.query('select 1 from identity.credit_entries where reference = $1', [`reply-refund:${messageId}`]);
    expect(rows).toHaveLength(approved ? 0 : 1);
  }
});

test('a reply whose process is killed while it sends an approved call asks no longer, and the model knows of the call', async () => {
  const seen: string[] = [];
  provider.on('and what now', (response, { messages }) => {
    seen.push(messages[0]!.content!);
    response.text('Let me see.').finish();
  });

  const visitor = site.visit();
  const killed = await visitor.say('please cancel');
  await db.query("update agent.approvals set status = 'sending', decided_at = now(), sent_at = now() where id = $1", [
    killed.asked[0],
  ]);
  await db.query(
    "update agent.messages set status = 'running', lease = gen_random_uuid(), leased_until = now() - interval '1 minute' where id = $1",
    [killed.parts[0]!.messageId],
  );
  await visitor.say('and what now', killed.conversationId);
  const { rows } = await db.query('select parts from agent.messages where id = $1', [killed.parts[0]!.messageId]);
  expect(rows[0].parts).toContainEqual(
    expect.objectContaining({
      state: 'output-error',
      errorText: 'The reply ended before the tool answered.',
      approval: expect.objectContaining({ approved: true }),
    }),
  );
  expect(seen.at(-1)).toMatch(/<calls>\n- .*: was sent, the result is not known yet\n<\/calls>/s);
});

test('a receiver that does not answer delays no other work of the sweep', async () => {
  await site.createTool('slow', { timeoutMs: 30_000 });
  calls('something slow', 'slow', {});
  const visitor = site.visit();
  const { asked, conversationId } = await visitor.say('something slow');
  await db.query("update agent.approvals set status = 'approved', decided_at = now() - interval '1 minute' where id = $1", [
    asked[0],
  ]);
  await db.query(
    `insert into agent.handoff_events (conversation_id, sequence, type, status, party, created_at)
     values ($1, 1, 'typing', 'waiting', 'visitor', now() - interval '1 hour')`,
    [conversationId],
  );
  const answers: (() => void)[] = [];
  receiver.replyWith((_, response) => void answers.push(() => response.end('{}')));
  const stop = startConversationSweep(graph.services);
  try {
    await until(() => answers.length > 0);
    const typing = 'select 1 from agent.handoff_events where conversation_id = $1';
    await until(async () => (await db.query(typing, [conversationId])).rows.length === 0);
    expect(await visitor.approvals(conversationId)).toMatchObject([{ status: 'sending' }]);
  } finally {
    for (const answer of answers) answer();
    await stop();
  }
  expect(await visitor.approvals(conversationId)).toMatchObject([{ status: 'succeeded' }]);
});

test('a reader of a reply that another process continues sees all of it', async () => {
  const asked = await site.visit().say('please cancel');
  const { conversationId } = asked;
  const { messageId: id } = asked.parts[0]!;
  const { rows } = await db.query(
    `update agent.messages set status = 'running', lease = gen_random_uuid(), leased_until = now() + interval '1 hour' where id = $1
     returning organization_id as "organizationId"`,
    [id],
  );
  const ref = { id, conversationId, organizationId: rows[0].organizationId, agentId: site.agent.id };
  const read: string[] = [];
  const reading = (async () => {
    for await (const { part } of followReply(graph.services, { ...ref, visitorId: 'v', identityStatus: 'none' }, 0))
      read.push(part.type);
  })();
  await until(() => read.at(-1) === 'finish');
  const rest = [{ type: 'start', messageId: id }, { type: 'tool-output-denied', toolCallId: '1-c1' }, { type: 'finish' }];
  await db.query('insert into agent.reply_parts (message_id, first, parts) values ($1, $2, $3)', [
    id,
    read.length + 1,
    JSON.stringify(rest),
  ]);
  await db.query("update agent.messages set status = 'complete' where id = $1 returning pg_notify('reply_chunks', $1::text)", [id]);
  await reading;
  expect(read).toEqual([...asked.parts, ...rest].map(({ type }) => type));
});

test('an operator approves a tool that needs one, and the visitor cannot', async () => {
  await site.createTool('refund', { approval: 'operator', confirmation: 'Pay {{params.amount}} back?' });
  calls('want a refund', 'refund', { amount: 5 });
  const visitor = site.visit();
  const { asked, conversationId } = await visitor.say('want a refund');
  await expect(visitor.decide(asked[0]!, true)).rejects.toThrow('FORBIDDEN: A member of the team decides about this.');
  const { approvals } = await site.admin.ask(
    '{ approvals(status: pending) { nodes { id text party request { method url body } } } }',
  );
  expect(approvals.nodes).toContainEqual({
    id: asked[0],
    text: 'Pay “5” back?',
    party: 'operator',
    request: { method: 'POST', url: `${receiver.url}/refund`, body: '{"amount":5}' },
  });
  const { decideApproval } = await site.admin.ask(
    'mutation ($id: ID!) { decideApproval(id: $id, approved: true) { decidedByName } }',
    { id: asked[0] },
  );
  expect(decideApproval.decidedByName).toEqual(expect.any(String));
  await until(async () => (await visitor.approvals(conversationId))[0]!.status === 'succeeded');
  expect(receiver.received).toHaveLength(1);
});

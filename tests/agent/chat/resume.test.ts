import { setTimeout as sleep } from 'node:timers/promises';
import { caller } from '../../support/client.ts';
import { until } from '../../support/until.ts';
import { question, read, send, textOf, typesOf } from './chatting.ts';
import { lastReply, openReplies, partStored } from './replying.ts';

const { gateway, second, acme, withKey, elsewhere, credits, resume, begin, close } = await openReplies();
afterAll(close);

test('a reply continues without its reader, and is stored', async () => {
  const { conversationId, disconnect, go, isAborted } = await begin('unread');
  disconnect();
  await sleep(300);
  expect(isAborted()).toBe(false);
  go();
  await until(async () => (await lastReply(conversationId)).status === 'complete');
  expect(await lastReply(conversationId)).toMatchObject({
    text: 'Begin end',
    parts: [{ type: 'step-start' }, { type: 'text', text: 'Begin end' }],
    model: 'stub',
    input_tokens: 10,
    output_tokens: 5,
  });
});

test('readers in the same process and in another one get the whole running reply', async () => {
  const { response, conversationId, go } = await begin('shared');
  const paths = [acme.adminPath, elsewhere, elsewhere];
  const opened = await Promise.all(paths.map((path) => fetch(`${path}/${conversationId}/stream`, { headers: withKey })));
  go();
  const [first, ...others] = await Promise.all([response, ...opened].map(read));
  expect(textOf(first!.parts)).toBe('Begin end');
  for (const each of others) {
    expect(each.parts).toEqual(first!.parts);
    expect(each.conversationId).toBe(conversationId);
    expect(each.isDone).toBe(true);
  }
  for (const path of [acme.adminPath, elsewhere]) {
    const { status, text } = await resume(path, conversationId);
    expect([status, text]).toEqual([204, '']);
  }
});

test('another process refuses a second message while the reply is running', async () => {
  const { response, conversationId, go } = await begin('locked');
  const body = { ...question('hello'), conversationId };
  expect((await send(elsewhere, body, withKey)).status).toBe(409);
  go();
  await read(response);
  expect((await send(elsewhere, body, withKey)).status).toBe(200);
});

test.each([
  ['the same process', gateway],
  ['another process', second],
])('stopReply in %s ends the stream and keeps the text', async (name, { url }) => {
  const { response, conversationId, isAborted } = await begin(`stop in ${name}`);
  await partStored(conversationId, 'Begin');
  const stop = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...withKey },
    body: JSON.stringify({
      query: 'mutation ($a: ID!, $c: ID!) { stopReply(agentId: $a, conversationId: $c) }',
      variables: { a: acme.agent.id, c: conversationId },
    }),
  });
  expect(await stop.json()).toEqual({ data: { stopReply: true } });
  const { parts, isDone } = await read(response);
  expect(typesOf(parts)).toEqual(['start', 'start-step', 'text-start', 'text-delta', 'text-end', 'finish-step', 'finish']);
  expect(isDone).toBe(true);
  expect(await lastReply(conversationId)).toMatchObject({ status: 'stopped', text: 'Begin' });
  await until(isAborted);
});

test('a reply of a deleted conversation ends, and costs nothing', async () => {
  const before = await credits();
  const { response } = await begin('forgotten');
  const id = response.headers.get('x-conversation-id');
  await acme.admin.graphql('mutation ($id: ID!) { deleteConversation(id: $id) { id } }', { id });
  const { parts } = await read(response);
  expect(typesOf(parts).slice(-3)).toEqual(['error', 'finish-step', 'finish']);
  expect(await credits()).toBe(before);
});

test('a reply of a deleted agent ends, and costs nothing', async () => {
  const before = await credits();
  const { createAgent } = await acme.admin.graphql('mutation { createAgent(input: { name: "Gone" }) { id } }');
  const { response } = await begin('deleted', acme.adminPath.replace(acme.agent.id, createAgent.id));
  await acme.admin.graphql('mutation ($id: ID!) { deleteAgent(id: $id) { id } }', { id: createAgent.id });
  const { parts, isDone } = await read(response);
  expect(typesOf(parts).slice(-3)).toEqual(['error', 'finish-step', 'finish']);
  expect(isDone).toBe(true);
  expect(await credits()).toBe(before);
});

test.each([2_147_483_647, -1])('a reply cannot be followed after the number %p', async (after) => {
  const { response, conversationId, go } = await begin(`after ${after}`);
  const query =
    'subscription ($a: ID!, $c: ID!, $after: Int!) { chatReply(agentId: $a, conversationId: $c, after: $after) { sequence } }';
  const events = [];
  for await (const event of caller(acme.key, second).subscribe(query, { a: acme.agent.id, c: conversationId, after }))
    events.push(event.errors?.map(({ extensions }) => extensions?.code));
  expect(events).toEqual([['INVALID_INPUT']]);
  go();
  await read(response);
});

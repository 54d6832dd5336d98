import { setTimeout as sleep } from 'node:timers/promises';
import { startChatProvider } from '../support/chat-provider.ts';
import { openGateway, startGateway } from '../support/gateway.ts';
import { database } from '../support/seed.ts';
import { until } from '../support/until.ts';
import { type Part, question, read, seedAgent, send, textOf, typesOf } from './chatting.ts';

const provider = await startChatProvider();
const gateway = await openGateway({ OPENAI_BASE_URL: provider.url });
/** The gateway of the shared system, which is another process. */
const second = { url: process.env.TEST_URL! };
afterAll(async () => {
  await gateway.stop();
  await provider.close();
});
const acme = await seedAgent(gateway.url, {}, { credits: 100 });
const withKey = { 'x-api-key': acme.key };
const elsewhere = acme.adminPath.replace(gateway.url, second.url);
const credits = async () =>
  Number((await database().query('select credits from identity.organizations where id = $1', [acme.id])).rows[0].credits);
const lastReply = async (conversationId: string) =>
  (
    await database().query(
      `select * from agent.messages where conversation_id = $1 and role = 'assistant' order by position desc limit 1`,
      [conversationId],
    )
  ).rows[0];
const resume = async (path: string, conversationId: string) =>
  read(await fetch(`${path}/${conversationId}/stream`, { headers: withKey }));

/** Wait until other processes can read the text that the reply has written so far. */
const beginningStored = (conversationId: string) =>
  until(async () => {
    const { rows } = await database().query(
      `select 1 from agent.reply_parts p join agent.messages m on m.id = p.message_id
        where m.conversation_id = $1 and p.parts::text like '%Begin%'`,
      [conversationId],
    );
    return rows.length > 0;
  });

/** Start a reply that writes 'Begin' and waits for `go`. */
async function begin(word: string, path = acme.adminPath) {
  const gate = Promise.withResolvers<void>();
  let isAborted = () => false;
  provider.on(word, async (response) => {
    isAborted = () => response.isAborted;
    response.text('Begin');
    await gate.promise;
    response.text(' end').finish();
  });
  const disconnect = new AbortController();
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...withKey },
    body: JSON.stringify(question(word)),
    signal: disconnect.signal,
  });
  const conversationId = response.headers.get('x-conversation-id')!;
  return { response, conversationId, go: gate.resolve, disconnect: () => disconnect.abort(), isAborted: () => isAborted() };
}

test('a reply goes on without its reader, and is stored', async () => {
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
  await beginningStored(conversationId);
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

test('a reply whose process was killed ends as a stored error without a charge, and the conversation goes on', async () => {
  const doomed = await startGateway({ OPENAI_BASE_URL: provider.url });
  const path = acme.adminPath.replace(gateway.url, doomed.url);
  const before = await credits();
  const { response, conversationId } = await begin('killed', path);
  const reading = read(response).catch((error: Error) => error);
  const follower = resume(elsewhere, conversationId);
  await beginningStored(conversationId);
  await doomed.stop('SIGKILL');
  expect(String(await reading)).toMatch('terminated');
  // The follower in the other process sees a well-formed end as soon as the lease has expired.
  const { parts, isDone } = await follower;
  expect(typesOf(parts as Part[])).toEqual([
    'start',
    'start-step',
    'text-start',
    'text-delta',
    'text-end',
    'error',
    'finish-step',
    'finish',
  ]);
  expect(isDone).toBe(true);
  expect(await lastReply(conversationId)).toMatchObject({
    status: 'failed',
    text: 'Begin',
    error: expect.stringMatching('process'),
  });
  expect(await credits()).toBe(before);
  expect((await send(elsewhere, { ...question('hello'), conversationId }, withKey)).status).toBe(200);
});

test('a process that shuts down stores the end of its replies', async () => {
  const leaving = await startGateway({ OPENAI_BASE_URL: provider.url });
  const { response, conversationId } = await begin('leaving', acme.adminPath.replace(gateway.url, leaving.url));
  const reading = read(response).catch((error: Error) => error);
  await beginningStored(conversationId);
  await leaving.stop();
  await reading;
  expect(await lastReply(conversationId)).toMatchObject({
    status: 'failed',
    text: 'Begin',
    error: expect.stringMatching('process'),
  });
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

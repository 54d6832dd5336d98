import { randomUUID } from 'node:crypto';
import { finishReply } from '../../../subgraphs/agent/chat/finish.ts';
import { readChunks } from '../../../subgraphs/agent/chat/reply-store.ts';
import { repliesOf } from '../../../subgraphs/agent/chat/running-replies.ts';
import { sweepCalls } from '../../../subgraphs/agent/tool-calls/service.ts';
import { caller } from '../../support/client.ts';
import { startForwarder } from '../../support/forwarder.ts';
import { database } from '../../support/seed.ts';
import { startGateway } from '../../support/system.ts';
import { until } from '../../support/until.ts';
import { openInProcess } from '../in-process.ts';
import { startToolReceiver } from '../tools/receiver.ts';
import { type Part, question, read, send, textOf, typesOf } from './chatting.ts';
import { lastReply, openReplies, partStored } from './replying.ts';

const receiver = await startToolReceiver();
const { provider, gateway, acme, withKey, elsewhere, credits, resume, begin, close } = await openReplies();
afterAll(() => Promise.all([close(), receiver.close()]));

/** Start a reply whose tool never answers. */
async function beginCall(doomed: string) {
  receiver.replyWith(() => {});
  const tool = {
    ...{ name: 'look_up', description: 'Looks it up.', method: 'GET', endpointUrl: `${receiver.url}/orders/{{params.id}}` },
    timeoutMs: 30_000,
  };
  const { status } = await caller(acme.key, { url: doomed }).post(`/api/${acme.slug}/agents/${acme.agent.id}/tools`, tool);
  expect(status).toBe(201);
  provider.on('dead call', (response, { messages }) => {
    if (messages.at(-1)!.content === 'dead call') response.call(0, 'c1', 'look_up', '{"id":"7"}').finish('tool_calls');
    else response.text('Fine').finish();
  });
  const response = await fetch(acme.adminPath.replace(gateway.url, doomed), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...withKey },
    body: JSON.stringify(question('dead call')),
  });
  const conversationId = response.headers.get('x-conversation-id')!;
  const reading = read(response).catch((error: Error) => error);
  await Promise.all([partStored(conversationId, 'tool-input-available'), until(() => receiver.received.length === 1)]);
  return { conversationId, reading };
}

test('replies whose process was killed, also in a tool call, end as stored errors without a charge, and the conversations go on', async () => {
  const doomed = await startGateway({ OPENAI_BASE_URL: provider.url, OUTBOUND_ALLOW_HOSTS: '127.0.0.1' });
  const path = acme.adminPath.replace(gateway.url, doomed.url);
  const before = await credits();
  const call = await beginCall(doomed.url);
  const { response, conversationId } = await begin('killed', path);
  const reading = read(response).catch((error: Error) => error);
  const follower = resume(elsewhere, conversationId);
  const callFollower = resume(elsewhere, call.conversationId);
  await partStored(conversationId, 'Begin');
  await doomed.stop('SIGKILL');
  for (const each of [reading, call.reading]) expect(String(await each)).toMatch('terminated');
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
  // The visitor sees the call end, the stored message has the same end, and nobody repeats the call.
  expect(typesOf((await callFollower).parts)).toEqual([
    'start',
    'start-step',
    'tool-input-start',
    'tool-input-available',
    'tool-output-error',
    'error',
    'finish-step',
    'finish',
  ]);
  const errorText = 'The reply ended before the tool answered.';
  expect(await lastReply(call.conversationId)).toMatchObject({
    status: 'failed',
    parts: [{ type: 'step-start' }, { type: 'tool-look_up', state: 'output-error', input: { id: '7' }, errorText }],
  });
  const audit = async () =>
    (await database().query('select status, error from agent.tool_calls where conversation_id = $1', [call.conversationId])).rows;
  expect(await audit()).toEqual([{ status: 'running', error: null }]);
  await database().query(`update agent.tool_calls set created_at = now() - interval '6 minutes' where conversation_id = $1`, [
    call.conversationId,
  ]);
  await sweepCalls(database());
  expect(await audit()).toEqual([{ status: 'failed', error: 'The process was interrupted during the call.' }]);
  expect(await credits()).toBe(before);
  expect((await send(elsewhere, { ...question('hello'), conversationId }, withKey)).status).toBe(200);
  const next = await send(acme.adminPath, { ...question('dead call, again'), conversationId: call.conversationId }, withKey);
  expect([textOf(next.parts), receiver.received.length]).toEqual(['Fine', 1]);
});

test('a reply whose process was killed before it stored a part is a whole stream', async () => {
  const { conversationId } = await send(acme.adminPath, question('hello'), withKey);
  const { rows } = await database().query(
    `insert into agent.messages (id, organization_id, conversation_id, position, role, status, lease, leased_until)
     values (gen_random_uuid(), $1, $2, 3, 'assistant', 'running', gen_random_uuid(), now()) returning id`,
    [acme.id, conversationId],
  );
  const { parts, isDone } = await resume(acme.adminPath, conversationId);
  expect(parts).toEqual([
    { type: 'start', messageId: rows[0].id },
    { type: 'start-step' },
    { type: 'error', errorText: 'The reply could not be completed. Please try again.' },
    { type: 'finish-step' },
    { type: 'finish' },
  ]);
  expect(isDone).toBe(true);
});

test('a process that shuts down stores the end of its replies, and clients receive it', async () => {
  const leaving = await startGateway({ OPENAI_BASE_URL: provider.url });
  const { response, conversationId } = await begin('leaving', acme.adminPath.replace(gateway.url, leaving.url));
  const reading = read(response);
  await partStored(conversationId, 'Begin');
  await leaving.stop();
  const { parts, isDone } = await reading;
  expect(typesOf(parts).slice(-4)).toEqual(['text-end', 'error', 'finish-step', 'finish']);
  expect(isDone).toBe(true);
  expect(await lastReply(conversationId)).toMatchObject({
    status: 'failed',
    text: 'Begin',
    error: expect.stringMatching('process'),
  });
});

describe('in one process', () => {
  let forwarder: Awaited<ReturnType<typeof startForwarder>>;
  let own: Awaited<ReturnType<typeof openInProcess>>;
  beforeAll(async () => {
    const url = new URL(process.env.TEST_DATABASE_URL!);
    forwarder = await startForwarder(url.hostname, Number(url.port || 5432));
    own = await openInProcess(Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(forwarder.port) }).href);
  });
  afterAll(async () => {
    await own.close();
    await forwarder.cut();
  });

  /** A reply that this process writes. */
  async function write() {
    const { conversationId } = await send(acme.adminPath, question('hello'), withKey);
    const [id, lease] = [randomUUID(), randomUUID()];
    await database().query(
      `insert into agent.messages (id, organization_id, conversation_id, position, role, status, lease, leased_until)
       values ($1, $2, $3, 3, 'assistant', 'running', $4, now() + interval '1 minute')`,
      [id, acme.id, conversationId, lease],
    );
    const ref = { id, lease, conversationId, organizationId: acme.id, agentId: acme.agent.id };
    return repliesOf(own.services).add(ref);
  }
  const storedOf = async (id: string) =>
    (await database().query('select status, error from agent.messages where id = $1', [id])).rows[0];

  test('a reply that cannot be stored fails alone', async () => {
    const [bad, good] = [await write(), await write()];
    for (const reply of [bad, good]) reply.push({ type: 'start', messageId: reply.ref.id });
    // Past `push`, which replaces such characters.
    bad.chunks.push({ type: 'text-start', id: '\0' });
    good.push({ type: 'start-step' });
    await until(() => good.stored === 2 && bad.signal.aborted);
    expect(good.signal.aborted).toBe(false);
    await Promise.all([bad, good].map((reply) => finishReply(own.services, reply, { status: 'complete' })));
    expect(await storedOf(bad.ref.id)).toEqual({ status: 'failed', error: 'Internal error' });
    expect(await storedOf(good.ref.id)).toEqual({ status: 'complete', error: null });
    for (const reply of [bad, good]) repliesOf(own.services).remove(reply);
  });

  test('a reply whose stored end was not confirmed ends as it is stored', async () => {
    const reply = await write();
    reply.push({ type: 'start', messageId: reply.ref.id });
    await until(() => reply.stored === 1);
    forwarder.loseAnswerTo('credits = case when');
    await finishReply(own.services, reply, { status: 'complete' });
    expect(typesOf(reply.chunks)).toEqual(['start', 'finish']);
    expect(await storedOf(reply.ref.id)).toEqual({ status: 'complete', error: null });
    repliesOf(own.services).remove(reply);
  });

  test('chunks are read in batches of limited size, and none is skipped', async () => {
    const reply = await write();
    const chunks = Array.from({ length: 4 }, (_, at) => ({ type: 'text-delta', id: String(at), delta: 'x'.repeat(600_000) }));
    for (const [at, chunk] of chunks.entries())
      await database().query('insert into agent.reply_parts (message_id, first, parts) values ($1, $2, $3)', [
        reply.ref.id,
        at + 1,
        JSON.stringify([chunk]),
      ]);
    const numbers = [];
    for (let after = 0; after < 4; after = numbers.at(-1)!.at(-1)!)
      numbers.push((await readChunks(own.services.pool, reply.ref.id, after)).map(({ sequence }) => sequence));
    expect(numbers).toEqual([
      [1, 2],
      [3, 4],
    ]);
    repliesOf(own.services).remove(reply);
  });
});

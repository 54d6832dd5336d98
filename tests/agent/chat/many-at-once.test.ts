import { randomUUID } from 'node:crypto';
import { jest } from '@jest/globals';
import pg from 'pg';
import { log } from '../../../platform/telemetry/index.ts';
import { beginReply, type NewMessage } from '../../../subgraphs/agent/chat/begin.ts';
import { deleteConversation } from '../../../subgraphs/agent/conversations/service.ts';
import { startChatProvider } from '../../support/chat-provider.ts';
import { openGateway } from '../../support/gateway.ts';
import { database } from '../../support/seed.ts';
import { until } from '../../support/until.ts';
import { openInProcess } from '../in-process.ts';
import { creditsOf, question, seedAgent, send, visitor } from './chatting.ts';

const provider = await startChatProvider();
const gateway = await openGateway({ OPENAI_BASE_URL: provider.url, TRUST_PROXY: 'true' });
afterAll(async () => {
  await gateway.stop();
  await provider.close();
});

const times = <T>(count: number, work: (at: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, at) => work(at)));

test('60 chats of one organization that start at once all begin, also two of each visitor, and each is charged once', async () => {
  const acme = await seedAgent(gateway.url, {}, { credits: 1_000 });
  const visitors = Array.from({ length: 20 }, () => visitor({ 'x-visitor-id': randomUUID() }));
  const replies = await times(60, (at) =>
    at % 3 === 0 ? acme.ask('Hello') : send(acme.widgetPath, question('Hello'), visitors[Math.floor(at / 3)]),
  );
  expect(replies.map(({ status, isDone }) => [status, isDone])).toEqual(Array(60).fill([200, true]));
  expect(new Set(replies.map(({ conversationId }) => conversationId)).size).toBe(60);
  const { rows } = await database().query(
    `select count(*)::int as charges from identity.credit_entries where organization_id = $1 and reference like 'reply:%'`,
    [acme.id],
  );
  expect(rows).toEqual([{ charges: 60 }]);
});

test('60 replies that fail at once are all refunded, to the organization and to the daily budget', async () => {
  provider.on('broken', (response) => response.refuse(400));
  const acme = await seedAgent(gateway.url, {}, { credits: 1_000 });
  const replies = await times(60, () => send(acme.widgetPath, question('broken'), visitor()));
  expect(replies.map(({ status, isDone }) => [status, isDone])).toEqual(Array(60).fill([200, true]));
  expect(await creditsOf(acme.id)).toBe(1_000);
  const { rows } = await database().query('select credits from agent.daily_credits where agent_id = $1', [acme.agent.id]);
  expect(rows.map(({ credits }) => Number(credits))).toEqual([0]);
});

test('of messages that begin one conversation at once, one is answered and the others wait for its reply', async () => {
  const acme = await seedAgent(gateway.url);
  const headers = visitor({ 'x-visitor-id': randomUUID() });
  const replies = await times(20, (at) => send(acme.widgetPath, { ...question(`Message ${at}`), id: 'chat' }, headers));
  const answered = replies.filter(({ status }) => status === 200);
  expect(answered.length).toBeGreaterThan(0);
  expect(new Set(answered.map(({ conversationId }) => conversationId)).size).toBe(1);
  const refused = replies.filter(({ status }) => status !== 200).map(({ status, body }) => [status, body.message]);
  expect(refused).toEqual(
    Array(20 - answered.length).fill([409, 'The previous message is still being answered. Please wait for the reply.']),
  );
});

/** Transactions would hold the rows of the organization and of the budget while they wait for the process, and all chats for them. */
test('a first message and a later one each begin their reply by one statement', async () => {
  const acme = await seedAgent(process.env.TEST_URL!);
  const own = await openInProcess();
  const scope = own.scopeOf(acme.id);
  const agent = { id: acme.agent.id, modelType: 'agent-chat-v1', dailyCreditLimit: 100 } as NewMessage['agent'];
  const begin = async (text: string, conversationId: string | null) => {
    const spy = jest.spyOn(pg.Client.prototype, 'query');
    try {
      const message = { text, clientId: null };
      const sender = { agent, channel: 'widget', visitorId: acme.owner.id } as const;
      const more = { chatId: null, regenerate: false, requestId: null, isResumed: false };
      const begun = await beginReply(scope, { ...sender, ...more, message, conversationId });
      const texts = spy.mock.calls.map(([statement]: unknown[]) => (statement as { text?: string }).text ?? String(statement));
      return { ...begun, statements: texts.filter((each) => /^(begin|commit)|agent\./.test(each)).length };
    } finally {
      spy.mockRestore();
    }
  };
  const first = await begin('One', null);
  expect(first).toMatchObject({ isFirst: true, paid: true, statements: 1 });
  await database().query(`update agent.messages set status = 'complete' where id = $1`, [first.id]);
  const next = await begin('Two', first.conversationId);
  expect(next).toMatchObject({ isFirst: false, paid: true, conversationId: first.conversationId, statements: 1 });
  const { rows } = await database().query(
    'select position, role, text, credits from agent.messages where conversation_id = $1 order by position',
    [first.conversationId],
  );
  expect(rows.map(({ position, role, text, credits }) => [position, role, text, Number(credits)])).toEqual([
    [1, 'user', 'One', 0],
    [2, 'assistant', '', 1],
    [3, 'user', 'Two', 0],
    [4, 'assistant', '', 1],
  ]);
  await own.close();
});

test('of messages that come at once, one that was sent before and one of a locked conversation delay none of the others', async () => {
  const acme = await seedAgent(process.env.TEST_URL!, {}, { credits: 100 });
  const own = await openInProcess();
  const agent = { id: acme.agent.id, modelType: 'agent-chat-v1', dailyCreditLimit: 100 } as NewMessage['agent'];
  const begin = (text: string, more: Partial<NewMessage> = {}) =>
    beginReply(own.scopeOf(acme.id), {
      ...{ agent, channel: 'widget', visitorId: acme.owner.id, message: { text, clientId: null } },
      ...{ conversationId: null, chatId: null, regenerate: false, requestId: null, isResumed: false, ...more },
    });
  const sent = await begin('Sent before', { requestId: randomUUID() });
  const { conversationId } = await begin('To be continued');
  await database().query(`update agent.messages set status = 'complete' where conversation_id = $1`, [conversationId]);
  const { rows } = await database().query('select request_id as "requestId" from agent.messages where id = $1', [sent.id]);
  const rival = await database().connect();
  try {
    await rival.query('begin');
    await rival.query('select 1 from agent.conversations where id = $1 for update', [conversationId]);
    const waiting = begin('Continued', { conversationId });
    const [first, repeated, ...others] = await Promise.all([
      begin('First'),
      begin('Sent before', rows[0]),
      ...['Second', 'Third', 'Fourth'].map((text) => begin(text)),
    ]);
    expect(repeated.id).toBe(sent.id);
    expect(new Set([first, ...others].map((reply) => reply.conversationId)).size).toBe(4);
    await rival.query('commit');
    expect(await waiting).toMatchObject({ conversationId, isFirst: false, paid: true });
  } finally {
    rival.release();
    await own.close();
  }
  // Each reply that began was charged once: two before, four at once, and the one that waited.
  expect(await creditsOf(acme.id)).toBe(93);
});

/** Each process has its own batches. All of them lock the row of the budget before that of the organization. */
test('replies of visitors and of members that two processes begin at once wait for each other without a deadlock', async () => {
  const acme = await seedAgent(process.env.TEST_URL!, {}, { credits: 100 });
  const processes = await Promise.all([openInProcess(), openInProcess()]);
  const agent = { id: acme.agent.id, modelType: 'agent-chat-v1', dailyCreditLimit: 100 } as NewMessage['agent'];
  const begin = (process: 0 | 1, channel: NewMessage['channel']) =>
    beginReply(processes[process].scopeOf(acme.id), {
      ...{ agent, channel, visitorId: acme.owner.id, message: { text: 'Hello', clientId: null } },
      ...{ conversationId: null, chatId: null, regenerate: false, requestId: null, isResumed: false },
    });
  await begin(0, 'widget');
  const logged = jest.spyOn(log, 'info');
  const rival = await database().connect();
  const { rows } = await rival.query('select pg_backend_pid() as pid');
  const waiting = async () =>
    (
      await database().query(
        `with recursive behind as (
           select $1::int as pid
           union select a.pid from pg_stat_activity a join behind b on b.pid = any (pg_blocking_pids(a.pid)))
         select count(*)::int - 1 as count from behind`,
        [rows[0].pid],
      )
    ).rows[0].count;
  try {
    await rival.query('begin');
    await rival.query('select 1 from agent.daily_credits where agent_id = $1 for update', [agent.id]);
    const first = begin(0, 'widget');
    await until(async () => (await waiting()) === 1);
    // The first begins alone; the others are a batch.
    const others = [begin(1, 'admin'), begin(1, 'admin'), begin(1, 'widget')];
    await until(async () => (await waiting()) === 2);
    await rival.query('commit');
    for (const { paid } of await Promise.all([first, ...others])) expect(paid).toBe(true);
    expect(logged.mock.calls.map(([, text]) => text)).not.toContain('A transaction was rolled back and runs again');
  } finally {
    rival.release();
    logged.mockRestore();
    await Promise.all(processes.map((each) => each.close()));
  }
});

/** It refunds first and counts rows last; a new message does it the other way round. */
test('a deletion of a conversation that a deadlock ends runs again', async () => {
  const acme = await seedAgent(process.env.TEST_URL!, {}, { credits: 100 });
  const own = await openInProcess();
  const agent = { id: acme.agent.id, modelType: 'agent-chat-v1', dailyCreditLimit: 100 } as NewMessage['agent'];
  const { conversationId } = await beginReply(own.scopeOf(acme.id), {
    ...{ agent, channel: 'admin', visitorId: acme.owner.id, message: { text: 'Hello', clientId: null } },
    ...{ conversationId: null, chatId: null, regenerate: false, requestId: null, isResumed: false },
  });
  const rival = await database().connect();
  try {
    await rival.query('begin');
    // Of all slots, because the connection of the deletion is not known.
    await rival.query(
      `insert into identity.row_counts as c (organization_id, list, key, slot, count)
       select distinct organization_id, list, key, s, 0 from identity.row_counts, generate_series(0, 15) s
        where organization_id = $1 and list = 'conversations'
       on conflict (organization_id, list, key, slot) do update set count = c.count`,
      [acme.id],
    );
    const { rows } = await rival.query('select pg_backend_pid() as pid');
    const deleted = deleteConversation(own.scopeOf(acme.id), conversationId);
    const blocked = 'select from pg_stat_activity where $1 = any (pg_blocking_pids(pid))';
    await until(async () => (await database().query(blocked, [rows[0].pid])).rowCount === 1);
    // PostgreSQL ends the transaction that has waited for a second, which is the deletion.
    await rival.query('select 1 from identity.organizations where id = $1 for update', [acme.id]);
    await rival.query('commit');
    expect(await deleted).toEqual({ id: conversationId, deleted: true });
  } finally {
    rival.release();
    await own.close();
  }
  expect(await creditsOf(acme.id)).toBe(100);
});

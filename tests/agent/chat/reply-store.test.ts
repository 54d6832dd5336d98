import { randomUUID } from 'node:crypto';
import { settleReply } from '../../../subgraphs/agent/chat/finish.ts';
import type { Chunk } from '../../../subgraphs/agent/chat/reply-store.ts';
import { readChunks, storeChunks } from '../../../subgraphs/agent/chat/reply-store.ts';
import { CREATE, openAgents } from '../operations.ts';

const graph = await openAgents();
afterAll(() => graph.close());
const { pool } = graph.services;
const organization = await graph.seed();
const { createAgent } = await graph.caller(organization.key).ask(CREATE, { input: { name: 'Support' } });

/** A reply that a process writes. */
async function beginReply() {
  const [id, lease, conversationId] = [randomUUID(), randomUUID(), randomUUID()];
  const organizationId = organization.id;
  await pool.query(
    `insert into agent.conversations (id, organization_id, agent_id, visitor_id, channel, status) values ($1, $2, $3, 'V', 'admin', 'open')`,
    [conversationId, organizationId, createAgent.id],
  );
  await pool.query(
    `insert into agent.messages (id, organization_id, conversation_id, position, role, status, lease, leased_until)
     values ($1, $2, $3, 1, 'assistant', 'running', $4, now() + interval '1 minute')`,
    [id, organizationId, conversationId, lease],
  );
  return { id, lease, organizationId };
}

const texts: Chunk[] = [
  { type: 'text-start', id: 'text-1' },
  { type: 'text-delta', id: 'text-1', delta: 'Hello' },
  { type: 'text-delta', id: 'text-1', delta: ' there' },
];
const stored = async (id: string) => (await readChunks(pool, id, 0)).map(({ chunk }) => chunk);

test('chunks that follow a lost response are stored with the retry', async () => {
  const reply = await beginReply();
  await storeChunks(pool, [{ ...reply, first: 1, chunks: texts.slice(0, 1) }]);
  expect(await storeChunks(pool, [{ ...reply, first: 1, chunks: texts }])).toEqual(new Set([reply.id]));
  expect(await stored(reply.id)).toEqual(texts);
  expect((await readChunks(pool, reply.id, 1)).map(({ sequence }) => sequence)).toEqual([2, 3]);
});

test('an attempt that arrives after its retry does not drop chunks', async () => {
  const reply = await beginReply();
  await storeChunks(pool, [{ ...reply, first: 1, chunks: texts }]);
  await storeChunks(pool, [{ ...reply, first: 1, chunks: texts.slice(0, 1) }]);
  expect(await stored(reply.id)).toEqual(texts);
});

test('the end of a reply is stored after a lost response', async () => {
  const reply = await beginReply();
  await storeChunks(pool, [{ ...reply, first: 1, chunks: texts.slice(0, 2) }]);
  const chunks: Chunk[] = [...texts, { type: 'finish' }];
  expect(await settleReply(graph.services, reply, { outcome: { status: 'complete' }, chunks, stored: 0 })).toBe(true);
  expect(await stored(reply.id)).toEqual(chunks);
});

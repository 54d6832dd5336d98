import { randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';
import { renewLeases, storeChunks } from '../../../subgraphs/agent/chat/reply-store.ts';
import { duringTransaction } from '../../support/rival.ts';
import { database } from '../../support/seed.ts';
import { seedAgent } from './chatting.ts';

const acme = await seedAgent(process.env.TEST_URL!);
const touch = (rival: PoolClient, id: string) => rival.query('update agent.messages set watched = true where id = $1', [id]);

/** Two running replies, the one with the lower id first. */
async function seedReplies() {
  const replies = [randomUUID(), randomUUID()].sort().map((id) => ({ id, lease: randomUUID(), conversationId: randomUUID() }));
  for (const { id, lease, conversationId } of replies) {
    await database().query(
      `insert into agent.conversations (id, organization_id, agent_id, visitor_id, channel, status) values ($1, $2, $3, 'V', 'admin', 'open')`,
      [conversationId, acme.id, acme.agent.id],
    );
    await database().query(
      `insert into agent.messages (id, organization_id, conversation_id, position, role, status, credits, lease, leased_until)
       values ($1, $2, $3, 1, 'assistant', 'running', 0, $4, now() + interval '1 minute')`,
      [id, acme.id, conversationId, lease],
    );
  }
  return replies as [(typeof replies)[number], (typeof replies)[number]];
}

test.each([
  [
    'stores the chunks',
    (replies) =>
      storeChunks(
        database(),
        replies.map((each) => ({ ...each, first: 1, chunks: [] })),
      ),
  ],
  ['renews the leases', (replies) => renewLeases(database(), replies)],
] as [string, (replies: { id: string; lease: string }[]) => Promise<{ size: number }>][])(
  'a process %s of several replies without a deadlock with another change of them',
  async (_, work) => {
    const [first, second] = await seedReplies();
    const { size } = await duringTransaction(
      (rival) => touch(rival, first.id),
      () => work([second, first]),
      (rival) => touch(rival, second.id),
    );
    expect(size).toBe(2);
  },
);

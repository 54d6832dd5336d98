import { sweepConversations } from '../../subgraphs/agent/conversations/conversation-expiry.ts';
import { sweepHandoffs } from '../../subgraphs/agent/handoff/service.ts';
import { duringTransaction } from '../support/rival.ts';
import { database } from '../support/seed.ts';
import { seedAgent } from './chat/chatting.ts';
import { requestPerson } from './handoff/handing-off.ts';
import { openInProcess } from './in-process.ts';

const { services, close } = await openInProcess();
afterAll(close);
const acme = await seedAgent(process.env.TEST_URL!, {}, { modules: ['helpdesk'] });

/** A handoff and its conversation, whose last message is two days old. */
async function seedIdle(): Promise<{ id: string; conversationId: string }> {
  const { body } = await requestPerson(acme);
  await database().query(`update agent.conversations set last_message_at = now() - interval '2 days' where id = $1`, [
    body.conversationId,
  ]);
  return body;
}

const WRITE = 'update agent.conversations set last_message_at = now() where id = $1';

test('a handoff stays open when a message arrives while it is about to be closed', async () => {
  const { id, conversationId } = await seedIdle();
  await duringTransaction(
    async (rival) => {
      await rival.query(WRITE, [conversationId]);
      await database().query(`update agent.handoffs set created_at = now() - interval '2 days' where id = $1`, [id]);
    },
    () => sweepHandoffs(services),
  );
  const { rows } = await database().query('select status from agent.handoffs where id = $1', [id]);
  expect(rows).toEqual([{ status: 'waiting' }]);
});

test('a conversation is not deleted when a message arrives while it expires', async () => {
  const { conversationId } = await seedIdle();
  await duringTransaction(
    async (rival) => {
      await rival.query(WRITE, [conversationId]);
      await database().query('update agent.agents set retention_days = 1 where id = $1', [acme.agent.id]);
    },
    () => sweepConversations(services),
  );
  const { rows } = await database().query('select id from agent.conversations where id = $1', [conversationId]);
  expect(rows).toEqual([{ id: conversationId }]);
});

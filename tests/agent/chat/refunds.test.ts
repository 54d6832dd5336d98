import { randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';
import { duringTransaction } from '../../support/rival.ts';
import { database } from '../../support/seed.ts';
import { seedAgent } from './chatting.ts';

const acme = await seedAgent(process.env.TEST_URL!, {}, { credits: 100 });
const creditsOf = async () =>
  (await database().query('select credits::float from identity.organizations where id = $1', [acme.id])).rows[0].credits;

const CONVERSATION = `insert into agent.conversations (id, organization_id, agent_id, visitor_id, channel, status) values ($1, $2, $3, 'V', 'admin', 'open')`;
const seedConversation = async (agentId: string, on: Pick<PoolClient, 'query'> = database()): Promise<string> => {
  const id = randomUUID();
  await on.query(CONVERSATION, [id, acme.id, agentId]);
  return id;
};

/** Begin a reply as a chat does, in a transaction that is not yet committed. */
async function beginReply(rival: PoolClient, conversationId: string): Promise<void> {
  const id = randomUUID();
  await rival.query('select 1 from agent.conversations where id = $1 for update', [conversationId]);
  await rival.query(
    `insert into agent.messages (id, organization_id, conversation_id, position, role, status, credits, lease, leased_until)
     values ($1, $2, $3, 1, 'assistant', 'running', 5, gen_random_uuid(), now() + interval '1 minute')`,
    [id, acme.id, conversationId],
  );
  await rival.query(`select identity.move_credits(gen_random_uuid(), $1, -5, 'chat reply', $2, true)`, [acme.id, `reply:${id}`]);
}

const DELETE_AGENT = 'mutation ($id: ID!) { deleteAgent(id: $id) { deleted } }';
const createAgent = async (): Promise<string> =>
  (await acme.admin.graphql('mutation { createAgent(input: { name: "Zoe" }) { id } }')).createAgent.id;

test('a reply that begins while its conversation is deleted is refunded', async () => {
  const id = await seedConversation(acme.agent.id);
  await duringTransaction(
    (rival) => beginReply(rival, id),
    () => acme.admin.graphql('mutation ($id: ID!) { deleteConversation(id: $id) { deleted } }', { id }),
  );
  expect(await creditsOf()).toBe(100);
});

test('a reply that begins while its agent is deleted is refunded', async () => {
  const id = await createAgent();
  const conversationId = await seedConversation(id);
  await duringTransaction(
    (rival) => beginReply(rival, conversationId),
    () => acme.admin.graphql(DELETE_AGENT, { id }),
  );
  expect(await creditsOf()).toBe(100);
});

test('a reply to the first message of a conversation that begins while its agent is deleted is refunded', async () => {
  const id = await createAgent();
  await duringTransaction(
    async (rival) => {
      await beginReply(rival, await seedConversation(id, rival));
      // As at the begin of the commit.
      await rival.query('set constraints all immediate');
    },
    () => acme.admin.graphql(DELETE_AGENT, { id }),
  );
  expect(await creditsOf()).toBe(100);
});

const BUDGET = `insert into agent.daily_credits (agent_id, day, credits) values ($1, (now() at time zone 'utc')::date, 5)`;

test.each([
  ['a reply', undefined],
  ['the first reply of the day', BUDGET],
])('%s in a conversation that was created while its agent is deleted is refunded', async (_, charge) => {
  const id = await createAgent();
  const first = await seedConversation(id);
  let deleting: Promise<unknown>;
  await duringTransaction(
    (writer) => writer.query('select 1 from agent.conversations where id = $1 for update', [first]),
    () => {
      deleting = acme.admin.graphql(DELETE_AGENT, { id });
      return deleting;
    },
    async (writer) => {
      const second = await seedConversation(id);
      await duringTransaction(
        (visitor) => beginReply(visitor, second),
        async () => {
          await writer.query('commit');
          return deleting;
        },
        async (visitor) => void (charge && (await visitor.query(charge, [id]))),
      );
    },
  );
  expect(await creditsOf()).toBe(100);
});

test('a visitor writes to an agent that is deleted with running replies, without a deadlock', async () => {
  const id = await createAgent();
  const replies = [];
  for (const channel of ['admin', 'widget', 'admin']) {
    const conversationId = await seedConversation(id);
    await database().query('update agent.conversations set channel = $2 where id = $1', [conversationId, channel]);
    replies.push(conversationId);
  }
  const rival = await database().connect();
  for (const conversationId of replies) await beginReply(rival, conversationId);
  rival.release();
  const day = `(now() at time zone 'utc')::date`;
  await database().query(`insert into agent.daily_credits (agent_id, day, credits) values ($1, ${day}, 5)`, [id]);
  // A charge locks the budget of the agent, then the organization.
  await duringTransaction(
    (charge) => charge.query(`update agent.daily_credits set credits = credits + 1 where agent_id = $1`, [id]),
    () => acme.admin.graphql(DELETE_AGENT, { id }),
    (charge) => charge.query('update identity.organizations set credits = credits - 1 where id = $1', [acme.id]),
  );
  expect(await creditsOf()).toBe(99);
});

test('a first message to an agent that is deleted holds no credits while it waits', async () => {
  const { id } = acme.agent;
  const { body } = await duringTransaction(
    (deletion) => deletion.query('select 1 from agent.agents where id = $1 for update', [id]),
    () => acme.ask('Hello'),
    (deletion) => deletion.query('update identity.organizations set credits = credits where id = $1', [acme.id]),
  );
  expect(body).toBeUndefined();
});

import { agent as agentSubgraph } from '../../subgraphs/agent/agent.ts';
import { agentTables } from '../../subgraphs/agent/tables.ts';
import { openSubgraph } from '../support/subgraph.ts';
import { ERASE, erased } from './erasing.ts';

const graph = await openSubgraph(agentSubgraph, agentTables);
afterAll(() => graph.close());
const { pool } = graph.services;
const acme = await graph.seed({ credits: 1_000 });
const admin = graph.caller(acme.key);

const make = async (text: string, variables: object): Promise<string> => (await admin.ask(text, { ...variables })).made.id;
let made = 0;
const createAgent = () => {
  made += 1;
  return make('mutation ($name: String!) { made: createAgent(input: { name: $name }) { id } }', { name: `Zoe ${made}` });
};
const createSet = (agentId: string, { name = 'Basics' } = {}) =>
  make('mutation ($agentId: ID!, $name: String!) { made: createTestSet(agentId: $agentId, input: { name: $name }) { id } }', {
    agentId,
    name,
  });

/** A reply to a known person, who asks for an order. */
async function addReply(agentId: string) {
  const { rows } = await pool.query<{ contact: string; conversation: string; reply: string }>(
    `with n as (insert into agent.contacts (id, organization_id, email, created_at, updated_at)
                values (gen_random_uuid(), $1, gen_random_uuid() || '@acme.com', now(), now()) returning id),
          c as (insert into agent.conversations (id, organization_id, agent_id, contact_id, visitor_id, channel, status)
                select gen_random_uuid(), $1, $2, n.id, 'v', 'widget', 'open' from n returning id, contact_id),
          m as (insert into agent.messages (id, organization_id, conversation_id, position, role, text, status, parts)
                select gen_random_uuid(), $1, c.id, place, role, text, 'complete', '[]'
                  from c, (values (1, 'user', 'Where is my order?'), (2, 'assistant', 'On its way.')) v (place, role, text) returning id, role)
     select c.contact_id as contact, c.id as conversation, m.id as reply from c, m where m.role = 'assistant'`,
    [acme.id, agentId],
  );
  return rows[0]!;
}

const START = 'mutation ($set: ID!) { startTestRun(testSetId: $set, input: { target: published, repeats: 1 }) { id } }';
const FROM_REPLY = 'mutation ($set: ID!, $reply: ID!) { made: createTestCaseFromReply(testSetId: $set, messageId: $reply) { id } }';
const casesOf = async (set: string) => {
  const { rows } = await pool.query(
    `select name from agent.test_cases where test_set_id = $1
     union all select c.name from agent.test_run_cases c join agent.test_runs r on r.id = c.run_id where r.test_set_id = $1`,
    [set],
  );
  return rows.map(({ name }) => name);
};

test('an erasure finds the cases of deleted conversations, and the copies of deleted cases in runs', async () => {
  const agentId = await createAgent();
  const set = await createSet(agentId);
  const { contact, conversation, reply } = await addReply(agentId);
  const deleted = await make(FROM_REPLY, { set, reply });
  await admin.ask(START, { set });
  await admin.ask('mutation ($set: ID!, $ids: [ID!]!) { deleteTestCases(testSetId: $set, ids: $ids) }', { set, ids: [deleted] });
  await make(FROM_REPLY, { set, reply });
  await admin.ask('mutation ($id: ID!) { deleteConversation(id: $id) { deleted } }', { id: conversation });
  expect(await casesOf(set)).toHaveLength(2);
  await admin.ask(ERASE, { id: contact });
  await erased(admin.ask, contact);
  expect(await casesOf(set)).toEqual([]);
});

test('a case that is made or run while its contact is erased does not stay', async () => {
  const agentId = await createAgent();
  for (let round = 0; round < 5; round += 1) {
    const set = await createSet(agentId, { name: `Round ${round}` });
    const { contact, reply } = await addReply(agentId);
    await make(FROM_REPLY, { set, reply });
    const refusals = await Promise.all([
      admin.ask(ERASE, { id: contact }).then(() => null),
      ...[1, 2, 3].map(() => admin.refusal(FROM_REPLY, { set, reply })),
      admin.refusal(START, { set }),
    ]);
    await erased(admin.ask, contact);
    expect(await casesOf(set)).toEqual([]);
    expect(refusals.filter((each) => each && !/^(NOT_FOUND: Reply|UNPROCESSABLE: The test set has no)/.test(each))).toEqual([]);
  }
});

test('no case is made from a conversation whose erasure has begun', async () => {
  const agentId = await createAgent();
  const set = await createSet(agentId);
  const { conversation, reply } = await addReply(agentId);
  await pool.query(`update agent.conversations set visitor_id = 'erased' where id = $1`, [conversation]);
  expect(await admin.refusal(FROM_REPLY, { set, reply })).toBe('NOT_FOUND: Reply not found');
});

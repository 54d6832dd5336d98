import { jest } from '@jest/globals';
import pg from 'pg';
import { database } from '../support/seed.ts';
import { CREATE, openAgents } from './operations.ts';

const graph = await openAgents();
afterAll(() => graph.close());
const acme = await graph.seed();
const owner = graph.caller(acme.key);
const { createAgent: agent } = await owner.ask(CREATE, { input: { name: 'Zoe' } });

const CONVERSATIONS = `query ($limit: Int!, $page: Int!, $rating: MessageRating) {
  conversations(limit: $limit) { nodes { messageCount messages(limit: 2, page: $page, rating: $rating) {
    nodes { position text } pagination { total totalPages } } } }
}`;
const TICKETS = `query ($limit: ListLimit!, $page: Int!) {
  tickets(limit: $limit) { messages(limit: 2, page: $page) { nodes { text } pagination { total } } }
}`;

const run = (text: string) => database(graph.url).query(text, [acme.id, agent.id]);
await run(`
  insert into agent.conversations (id, organization_id, agent_id, visitor_id, channel, status, message_count)
  select gen_random_uuid(), $1, $2, gen_random_uuid(), 'widget', 'open', 3 from generate_series(1, 20)`);
await run(`
  insert into agent.messages (id, organization_id, conversation_id, position, role, text, status, rating)
  select gen_random_uuid(), $1, c.id, n, 'assistant', 'Message ' || n, 'complete', case n when 2 then 'up' end
    from agent.conversations c cross join generate_series(1, 3) n where c.agent_id = $2`);
await run(`
  insert into agent.tickets (id, organization_id, agent_id, agent_name, ticket_number, subject, description, status, priority, source)
  select gen_random_uuid(), $1, $2, 'Zoe', 'TKT-' || n, 'Lamp', 'Lamp', 'new', 'normal', 'api' from generate_series(1, 20) n`);
await run(`
  insert into agent.ticket_messages (id, organization_id, ticket_id, kind, author_name, text, created_at)
  select gen_random_uuid(), $1, t.id, 'note', 'Ada', 'Note ' || n, now() + n * interval '1 second'
    from agent.tickets t cross join generate_series(1, 3) n where t.agent_id = $2`);

/** The process may run other statements in the background, so it is the least of three counts. */
async function statementsOf(text: string, variables: object): Promise<number> {
  const counts: number[] = [];
  for (let repeat = 0; repeat < 3; repeat++) {
    const spy = jest.spyOn(pg.Client.prototype, 'query');
    await owner.ask(text, { page: 1, ...variables });
    counts.push(spy.mock.calls.length);
    spy.mockRestore();
  }
  return Math.min(...counts);
}

test.each([
  ['conversations', CONVERSATIONS],
  ['tickets', TICKETS],
])('the messages of a list of %s are one statement', async (_, text) => {
  expect(await statementsOf(text, { limit: 20 })).toBe(await statementsOf(text, { limit: 2 }));
});

test('each conversation and each ticket has its own page of messages', async () => {
  const page = (rows: string[], total: number) => ({ rows, total });
  const pagesOf = (nodes: { messages: { nodes: { text: string }[]; pagination: { total: number } } }[]) =>
    nodes.map(({ messages }) =>
      page(
        messages.nodes.map(({ text }) => text),
        messages.pagination.total,
      ),
    );
  const conversations = async (more: object) =>
    pagesOf((await owner.ask(CONVERSATIONS, { limit: 20, page: 1, ...more })).conversations.nodes);
  expect(await conversations({})).toEqual(Array(20).fill(page(['Message 1', 'Message 2'], 3)));
  expect(await conversations({ page: 2 })).toEqual(Array(20).fill(page(['Message 3'], 3)));
  expect(await conversations({ rating: 'up' })).toEqual(Array(20).fill(page(['Message 2'], 1)));
  expect(await conversations({ rating: 'down' })).toEqual(Array(20).fill(page([], 0)));
  const tickets = async (more: object) => pagesOf((await owner.ask(TICKETS, { limit: 20, page: 1, ...more })).tickets);
  expect(await tickets({})).toEqual(Array(20).fill(page(['Note 1', 'Note 2'], 3)));
  expect(await tickets({ page: 2 })).toEqual(Array(20).fill(page(['Note 3'], 3)));
});

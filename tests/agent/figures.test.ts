import { randomUUID } from 'node:crypto';
import { detached } from '../../platform/scope/index.ts';
import { handoffTool } from '../../subgraphs/agent/handoff/handoff-tool.ts';
import { readBy } from '../support/scanned-rows.ts';
import { database } from '../support/seed.ts';
import { CREATE, openAgents } from './operations.ts';

const graph = await openAgents();
afterAll(() => graph.close());
const [acme, other] = [await graph.seed(), await graph.seed()];
const owner = graph.caller(acme.key);
const { createAgent: agent } = await owner.ask(CREATE, { input: { name: 'Zoe' } });
const pool = database(graph.url);
const run = async (text: string, values: unknown[] = []) => (await pool.query(text, values)).rows;

const FIGURES = `questions answered unanswered failed handoffs ratedUp ratedDown credits inputTokens outputTokens
  firstTokenMedianMs firstTokenHighMs endMedianMs endHighMs`;
const READ = `query ($id: ID!, $days: DayRange) { agentFigures(agentId: $id, days: $days) { from to
  total { ${FIGURES} } days { day ${FIGURES} } versions { version ${FIGURES} } sources { sourceId name replies } } }`;
const TOPICS = `query ($id: ID!, $days: DayRange) { agentFigures(agentId: $id, days: $days) {
  topics { compared topics { label questions examples { question conversationId } } } } }`;
const LIST = `query ($replies: RepliesFilter) { conversations(replies: $replies, limit: 100) { nodes { id } pagination { total } } }`;

const DAYS = { from: '2026-03-01', to: '2026-03-31' };
const NOTHING = {
  ...{ questions: 0, answered: 0, unanswered: 0, failed: 0, handoffs: 0, ratedUp: 0, ratedDown: 0, credits: 0 },
  ...{ inputTokens: 0, outputTokens: 0, firstTokenMedianMs: null, firstTokenHighMs: null, endMedianMs: null, endHighMs: null },
};
const source = await graph.seed().then(() => randomUUID());
await run(
  `insert into agent.sources (id, organization_id, agent_id, type, name, status, refresh_interval) values ($1, $2, $3, 'text', 'Returns', 'ready', 'never')`,
  [source, acme.id, agent.id],
);

interface Seed {
  day: string;
  question?: string;
  status?: string;
  model?: string | null;
  version?: number | null;
  unanswered?: boolean;
  rating?: 'up' | 'down' | null;
  firstToken?: number | null;
  duration?: number | null;
  cited?: string[];
  vector?: number[];
}

/** A conversation of one question with its running reply, which then ends. Returns the ids of both. */
async function reply({ day, question = 'How?', ...end }: Seed) {
  const [conversation] = await run(
    `insert into agent.conversations (id, organization_id, agent_id, visitor_id, channel, status, message_count, created_at, last_message_at)
     values (gen_random_uuid(), $1, $2, gen_random_uuid(), 'widget', 'open', 2, $3, $3) returning id`,
    [acme.id, agent.id, `${day}T12:00:00Z`],
  );
  const [message] = await run(
    `with asked as (insert into agent.messages (id, organization_id, conversation_id, position, role, text, status, created_at)
       values (gen_random_uuid(), $1, $2, 1, 'user', $4, 'complete', $3))
     insert into agent.messages (id, organization_id, conversation_id, position, role, status, created_at)
     values (gen_random_uuid(), $1, $2, 2, 'assistant', 'running', $3) returning id`,
    [acme.id, conversation.id, `${day}T12:00:00Z`, question],
  );
  await finish(message.id, end);
  return { conversationId: conversation.id as string, messageId: message.id as string };
}

function finish(id: string, { status = 'complete', model = 'm', version = 1, unanswered = false, ...more }: Partial<Seed>) {
  const { rating = null, firstToken = null, duration = null, cited = [], vector } = more;
  return run(
    `update agent.messages set status = $2, model = $3, version = $4, unanswered = $5, rating = $6, first_token_ms = $7, duration_ms = $8,
            cited = $9::uuid[], question_vector = $10, embedding_model = $11, agent_id = $12, credits = 1, input_tokens = 100, output_tokens = 10
      where id = $1`,
    [
      ...[id, status, model, version, unanswered, rating, firstToken, duration, cited],
      ...[vector ? Buffer.from(Int8Array.from(vector).buffer) : null, vector ? 'e' : null, agent.id],
    ],
  );
}

const figures = async (days: object = DAYS) => (await owner.ask(READ, { id: agent.id, days })).agentFigures;
const listed = async (replies: object) =>
  (await owner.ask(LIST, { replies: { agentId: agent.id, ...DAYS, ...replies } })).conversations.nodes.map(
    ({ id }: { id: string }) => id,
  );

const gone = randomUUID();
const good = await reply({ day: '2026-03-02', rating: 'up', firstToken: 1_234, duration: 4_000, cited: [source, gone] });
const plain = await reply({ day: '2026-03-02', firstToken: 400, duration: 900, cited: [source] });
const unknown = await reply({ day: '2026-03-02', version: 2, unanswered: true, rating: 'down', firstToken: 99, duration: 100 });
const broken = await reply({ day: '2026-03-31', version: null, status: 'failed' });
const unpaid = await reply({ day: '2026-03-31', version: 2, model: null, firstToken: 3, duration: 3 });
await reply({ day: '2026-04-01' });

test('figures are exact sums by day, by version and of all days', async () => {
  await run(
    `insert into agent.handoffs (id, organization_id, agent_id, conversation_id, status, requested_by, created_at)
     values (gen_random_uuid(), $1, $2, $3, 'closed', 'visitor', '2026-03-02T23:59:59Z')`,
    [acme.id, agent.id, unknown.conversationId],
  );
  const { total, days, versions, sources } = await figures();
  expect(total).toEqual({
    ...{ questions: 5, answered: 2, unanswered: 1, failed: 2, handoffs: 1, ratedUp: 1, ratedDown: 1, credits: 5 },
    ...{ inputTokens: 500, outputTokens: 50, firstTokenMedianMs: 99, firstTokenHighMs: 1_200, endMedianMs: 100, endHighMs: 4_000 },
  });
  expect(days).toEqual([
    {
      day: '2026-03-02',
      ...{ questions: 3, answered: 2, unanswered: 1, failed: 0, handoffs: 1, ratedUp: 1, ratedDown: 1, credits: 3 },
      ...{
        inputTokens: 300,
        outputTokens: 30,
        firstTokenMedianMs: 400,
        firstTokenHighMs: 1_200,
        endMedianMs: 900,
        endHighMs: 4_000,
      },
    },
    {
      day: '2026-03-31',
      ...{ ...NOTHING, questions: 2, failed: 2, credits: 2, inputTokens: 200, outputTokens: 20 },
      ...{ firstTokenMedianMs: 3, firstTokenHighMs: 3, endMedianMs: 3, endHighMs: 3 },
    },
  ]);
  expect(
    versions.map(({ version, questions, answered, handoffs }: Record<string, number>) => [version, questions, answered, handoffs]),
  ).toEqual([
    [2, 2, 0, 1],
    [1, 2, 2, 0],
    [0, 1, 0, 0],
  ]);
  expect(sources).toEqual([
    { sourceId: source, name: 'Returns', replies: 2 },
    { sourceId: gone, name: null, replies: 1 },
  ]);
});

test('each figure leads to its conversations', async () => {
  const [g, p, u, b, n] = [good, plain, unknown, broken, unpaid].map(({ conversationId }) => conversationId);
  expect(new Set(await listed({}))).toEqual(new Set([g, p, u, b, n]));
  expect(new Set(await listed({ to: '2026-03-30' }))).toEqual(new Set([g, p, u]));
  expect(new Set(await listed({ version: 2 }))).toEqual(new Set([u, n]));
  expect(await listed({ version: 0 })).toEqual([b]);
  expect(await listed({ unanswered: true })).toEqual([u]);
  expect(new Set(await listed({ failed: true }))).toEqual(new Set([b, n]));
  expect(await listed({ rating: 'up' })).toEqual([g]);
  expect(new Set(await listed({ sourceId: source }))).toEqual(new Set([g, p]));
  expect(await listed({ handedOver: true })).toEqual([u]);
  expect(await listed({ handedOver: true, rating: 'up' })).toEqual([]);
  expect(await listed({ handedOver: true, version: 2 })).toEqual([u]);
  expect(await listed({ handedOver: true, version: 0 })).toEqual([]);
  expect(await listed({ sourceId: 'nothing' })).toEqual([]);
});

test('a rating that changes, and a reply that continues after an approval, count once', async () => {
  const { messageId } = await reply({ day: '2026-02-01', duration: 50 });
  await run(`update agent.messages set rating = 'down' where id = $1`, [messageId]);
  await run(`update agent.messages set rating = 'up' where id = $1`, [messageId]);
  await run(`update agent.messages set status = 'running' where id = $1`, [messageId]);
  await finish(messageId, { rating: 'up', version: 3, duration: 4_567, cited: [source] });
  const { total, versions, sources } = await figures({ from: '2026-02-01', to: '2026-02-01' });
  expect(total).toMatchObject({ questions: 1, ratedUp: 1, ratedDown: 0, credits: 1, endMedianMs: 4_600, endHighMs: 4_600 });
  expect(versions.find(({ version }: { version: number }) => version === 3)).toMatchObject({ questions: 1, inputTokens: 100 });
  expect(sources).toEqual([{ sourceId: source, name: 'Returns', replies: 1 }]);
});

test('a reply that was stopped, or waits for an approval, is no answer', async () => {
  const range = { from: '2026-02-03', to: '2026-02-03' };
  await reply({ day: '2026-02-03', status: 'stopped' });
  await reply({ day: '2026-02-03' });
  const { messageId } = await reply({ day: '2026-02-03' });
  const answered = async () => {
    const { total } = await figures(range);
    return [total.questions, total.answered, total.unanswered + total.failed];
  };
  expect(await answered()).toEqual([3, 2, 0]);
  const call = (state: string) =>
    run('update agent.messages set parts = $2 where id = $1', [messageId, JSON.stringify([{ type: 'tool-x', state }])]);
  await call('approval-requested');
  expect(await answered()).toEqual([3, 1, 0]);
  await run(`update agent.messages set rating = 'up' where id = $1`, [messageId]);
  await run(`update agent.messages set status = 'running' where id = $1`, [messageId]);
  expect(await answered()).toEqual([2, 1, 0]);
  await call('output-available');
  await finish(messageId, { version: 1 });
  expect(await answered()).toEqual([3, 2, 0]);
});

test('a handoff that a reply asks for counts for the version that writes it', async () => {
  const { conversationId, messageId } = await reply({ day: '2026-02-05', version: 4 });
  await run(`update agent.messages set status = 'running' where id = $1`, [messageId]);
  const tool = handoffTool(detached({ services: graph.services, organizationId: acme.id }), 6);
  await tool.call({ reason: 'A person, please.' }, { conversationId } as never);
  expect(await run('select version from agent.handoffs where conversation_id = $1', [conversationId])).toEqual([{ version: 6 }]);
});

test('replies of many transactions at a time are all counted, and the sums outlive the conversations', async () => {
  await Promise.all(
    Array.from({ length: 40 }, () => reply({ day: '2026-01-05', cited: [source, gone], firstToken: 10, duration: 20 })),
  );
  await run(`delete from agent.conversations where agent_id = $1 and created_at < '2026-02-01'`, [agent.id]);
  const range = { from: '2026-01-05', to: '2026-01-05' };
  const { total, sources } = await figures(range);
  expect([total.questions, sources.map(({ replies }: { replies: number }) => replies)]).toEqual([40, [40, 40]]);
  expect(await listed(range)).toEqual([]);
});

test('similar questions are a topic, which the most central one names', async () => {
  const vector = (...start: number[]) => [...start, ...Array(512 - start.length).fill(0)];
  const asked: [string, number[]][] = [
    ['Can I send it back?', vector(127, 40)],
    ['How do I return a lamp?', vector(127, 0)],
    ['Return policy?', vector(127, 0, 60)],
    ['Where is my parcel?', vector(0, 0, 0, 127)],
    ['When does it arrive?', vector(0, 0, 0, 127, 30)],
    ['Do you sell cheese?', vector(0, 0, 0, 0, 0, 127)],
  ];
  for (const [question, numbers] of asked) await reply({ day: '2025-12-01', question, vector: numbers });
  const range = { from: '2025-12-01', to: '2025-12-02' };
  const { topics } = (await owner.ask(TOPICS, { id: agent.id, days: range })).agentFigures;
  expect(topics.compared).toBe(6);
  expect(topics.topics.map(({ questions }: { questions: number }) => questions)).toEqual([3, 2]);
  const [first] = topics.topics;
  expect(asked.slice(0, 3).map(([question]) => question)).toContain(first.label);
  expect(first.examples.map(({ question }: { question: string }) => question).sort()).toEqual([
    'Can I send it back?',
    'How do I return a lamp?',
    'Return policy?',
  ]);
});

test('an agent without replies has empty figures', async () => {
  const { total, days, versions, sources } = await figures({ from: '2020-01-01', to: '2020-03-01' });
  expect({ total, days, versions, sources }).toEqual({ total: NOTHING, days: [], versions: [], sources: [] });
});

test('other organizations see nothing, and wrong days are refused', async () => {
  const foreign = graph.caller(other.key);
  expect(await foreign.refusal(READ, { id: agent.id, days: DAYS })).toMatch(/^NOT_FOUND/);
  expect((await foreign.ask(LIST, { replies: { agentId: agent.id, ...DAYS } })).conversations.nodes).toEqual([]);
  const refusal = (days: object) => owner.refusal(READ, { id: agent.id, days });
  expect(await refusal({ from: '2026-03-01', to: '2026-02-01' })).toMatch(/^INVALID_INPUT.*after/);
  expect(await refusal({ from: '2026-01-01', to: '2026-04-01' })).toMatch(/^INVALID_INPUT.*90 days/);
  expect(await refusal({ from: '2026-02-30' })).toMatch(/^INVALID_INPUT.*YYYY-MM-DD/);
});

test('reads cost the same among many replies', async () => {
  await run(
    `with old as (
       insert into agent.conversations (id, organization_id, agent_id, visitor_id, channel, status, created_at, last_message_at)
       select gen_random_uuid(), $1, $2, gen_random_uuid(), 'widget', 'open', t, t
         from (select '2024-01-01'::timestamptz + n * interval '1 hour' as t from generate_series(1, 5000) n) x returning id, created_at)
     insert into agent.messages (id, organization_id, conversation_id, position, role, status, created_at, agent_id, model, version, duration_ms)
     select gen_random_uuid(), $1, id, 1, 'assistant', 'complete', created_at, $2, 'm', 1, 1000 from old`,
    [acme.id, agent.id],
  );
  await run('analyze agent.messages, agent.conversations, agent.reply_figures, agent.reply_counts');
  const { rows } = await readBy(pool, () => figures());
  expect(rows).toBeLessThan(200);
  const filtered = await readBy(pool, () => listed({ unanswered: true }));
  expect(filtered.rows).toBeLessThan(200);
});

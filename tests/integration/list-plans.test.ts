import { randomUUID } from 'node:crypto';
import { agent } from '../../subgraphs/agent/agent.ts';
import { agentTables } from '../../subgraphs/agent/tables.ts';
import { insertEvent } from '../support/event-sql.ts';
import { readBy } from '../support/scanned-rows.ts';
import { openSubgraph } from '../support/subgraph.ts';

const ROWS = 100_000;
/** A page of 100 reads its rows, the agents beside them, and what it skips; never a share of the table. */
const [MAX_ROWS, MAX_BLOCKS] = [600, 600];

let graph: Awaited<ReturnType<typeof openSubgraph>>;
let ask: ReturnType<typeof graph.caller>['ask'];
let rare: string;
beforeAll(async () => {
  graph = await openSubgraph(agent, agentTables);
  const { id, key } = await graph.seed({ modules: ['helpdesk'] });
  ({ ask } = graph.caller(key));
  const create = 'mutation ($name: String!) { createAgent(input: { name: $name }) { id } }';
  const common = (await ask(create, { name: 'Common' })).createAgent.id;
  rare = (await ask(create, { name: 'Rare' })).createAgent.id;
  // The oldest records have the rare agent, form and status, so that walking the newest ones would read the whole table.
  const series = `select gen_random_uuid() id, n, now() - interval '1 second' * n as at, n > ${ROWS} * 0.95 as rare, 'p' || n || '@example.com' as email
    from generate_series(1, ${ROWS}) n`;
  await graph.services.pool.query(`
    set session_replication_role = replica;
    insert into agent.leads (id, organization_id, agent_id, agent_name, contact_id, email, created_at)
    select id, '${id}', case when rare then '${rare}' else '${common}' end::uuid, 'a', id, email, at from (${series}) s;
    insert into agent.form_submissions (id, organization_id, agent_id, agent_name, form_name, "values", created_at)
    select id, '${id}', case when rare then '${rare}' else '${common}' end::uuid, 'a', case when rare then 'rare' else 'common' end, '{}', at from (${series}) s;
    insert into agent.tickets (id, organization_id, agent_id, agent_name, ticket_number, subject, description, status, priority, source,
                               requester_email, created_at, last_activity_at)
    select id, '${id}', case when rare then '${rare}' else '${common}' end::uuid, 'a', 'TKT-' || n, 's', 'd', case when rare then 'on_hold' else 'closed' end,
           'normal', 'api', email, at, at from (${series}) s;
    reset session_replication_role;
    analyze agent.leads, agent.form_submissions, agent.tickets;`);
});
afterAll(() => graph.close());

const soon = 'since: "2020-01-01", limit: 100';
test.each<[field: string, length?: number]>([
  ['leads(limit: 100)'],
  [`leads(${soon})`],
  ['leads(limit: 100, agentId: "RARE")'],
  [`leads(${soon}, agentId: "RARE")`],
  ['leads(limit: 100, email: "P777@example.com")', 1],
  [`leads(${soon}, email: "p777@example.com")`, 1],
  ['customFormSubmissions(limit: 100)'],
  [`customFormSubmissions(${soon})`],
  ['customFormSubmissions(limit: 100, agentId: "RARE")'],
  ['customFormSubmissions(limit: 100, formName: "rare")'],
  [`customFormSubmissions(${soon}, formName: "rare")`],
  ['tickets(limit: 100)'],
  [`tickets(${soon})`],
  [`tickets(${soon}, sort: "activity")`],
  ['tickets(limit: 100, sort: "activity")'],
  ['tickets(limit: 100, agentId: "RARE")'],
  ['tickets(limit: 100, status: on_hold)'],
  ['tickets(limit: 100, status: closed, sort: "activity")'],
  ['tickets(limit: 100, status: on_hold, sort: "activity")'],
  ['tickets(limit: 100, agentId: "RARE", sort: "activity")'],
  ['tickets(limit: 100, status: new, sort: "activity")', 0],
  ['tickets(limit: 100, email: "P777@example.com", sort: "activity")', 1],
  ['tickets(limit: 100, ticketNumber: "TKT-777")', 1],
])('%s reads a page, not the table', async (field, length = 100) => {
  const text = `{ list: ${field.replace('RARE', rare)} { id agentName } }`;
  const { rows, blocks } = await readBy(graph.services.pool, async () => expect((await ask(text)).list).toHaveLength(length));
  expect(rows).toBeLessThan(MAX_ROWS);
  expect(blocks).toBeLessThan(MAX_BLOCKS);
});

test('conversations, contacts and handoffs have exact totals without a count of their rows', async () => {
  const { pool } = graph.services;
  const { id, key } = await graph.seed({ modules: ['helpdesk'] });
  const caller = graph.caller(key);
  const agentId = (await caller.ask('mutation { createAgent(input: { name: "Busy" }) { id } }')).createAgent.id;
  await pool.query(
    `with made as (
       insert into agent.conversations (id, organization_id, agent_id, visitor_id, channel, status, created_at)
       select gen_random_uuid(), $1, $2, 'v', 'widget', case when n % 4 = 0 then 'closed' else 'open' end, now() - n * interval '1 second'
         from generate_series(1, 4000) n returning id),
     people as (insert into agent.contacts (id, organization_id) select gen_random_uuid(), $1 from made)
     insert into agent.handoffs (id, organization_id, agent_id, conversation_id, status, requested_by)
     select gen_random_uuid(), $1, $2, id, 'closed', 'visitor' from made`,
    [id, agentId],
  );
  await pool.query(
    `update agent.conversations set status = 'open', handoff_status = 'waiting' where organization_id = $1 and status = 'closed'`,
    [id],
  );
  await pool.query(
    `delete from agent.conversations where id in (select id from agent.conversations where organization_id = $1 and handoff_status = 'waiting' limit 10)`,
    [id],
  );
  await pool.query('analyze agent.conversations, agent.contacts, agent.handoffs');
  const totals = async () => {
    const of = (list: string) => `${list} { nodes { id } pagination { total } }`;
    const lists =
      await caller.ask(`{ ${of('all: conversations')} ${of('open: conversations(status: open)')} ${of('closed: conversations(status: closed)')}
      ${of(`waiting: conversations(handoffStatus: waiting, agentId: "${agentId.toUpperCase()}")`)} ${of('contacts')} ${of('handoffs')} }`);
    return Object.values(lists).map((list) => (list as { pagination: { total: number } }).pagination.total);
  };
  const { rows } = await readBy(pool, async () => expect(await totals()).toEqual([3_990, 3_990, 0, 990, 4_000, 3_990]));
  expect(rows).toBeLessThan(MAX_ROWS);
});

test('pages of a delivery log with more than 10,000 deliveries are counted once, until they have gaps', async () => {
  const { pool } = graph.services;
  const { id, key } = await graph.seed({ modules: ['helpdesk'] });
  const subscriptionId = randomUUID();
  await pool.query(
    `insert into webhooks.subscriptions (id, organization_id, surface, url, events)
     values ($1, $2, 'integration', 'https://example.com', '{lead.created}')`,
    [subscriptionId, id],
  );
  await pool.query(
    `with emitted as (${insertEvent('lead.created')})
     insert into webhooks.deliveries (id, organization_id, subscription_id, event, event_id, status, attempts)
     select gen_random_uuid(), $1, $2, 'lead.created', id, 'failed', 5 from emitted, generate_series(1, 12000)`,
    [id, subscriptionId],
  );
  const text = `{ list: eventDeliveries(subscriptionId: "${subscriptionId}", status: failed, limit: 50) { nodes { id } pagination { total } } }`;
  const page = async () => {
    const { list } = await graph.caller(key).ask(text);
    return [list.nodes.length, list.pagination.total];
  };
  expect(await page()).toEqual([50, 10_000]);
  const { rows } = await readBy(pool, async () => expect(await page()).toEqual([50, 10_000]));
  expect(rows).toBeLessThan(MAX_ROWS);
  await pool.query(
    `update webhooks.deliveries set status = 'delivered' where subscription_id = $1 and id not in (
    select id from webhooks.deliveries where subscription_id = $1 limit 20)`,
    [subscriptionId],
  );
  expect(await page()).toEqual([20, 20]);
});

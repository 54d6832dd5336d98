import { caller } from '../support/client.ts';
import { createDatabase } from '../support/database.ts';
import { type Gateway, openGateway } from '../support/gateway.ts';
import { database } from '../support/seed.ts';
import { type Cut, startStatementProxy } from '../support/statement-proxy.ts';
import { until } from '../support/until.ts';
import { openIntegration } from './integration.ts';

const origin = 'https://shop.example.com';
const EVENTS = ['lead.created', 'form.submitted', 'ticket.created', 'ticket.assigned', 'ticket.status_changed', 'ticket.replied'];

let own: Awaited<ReturnType<typeof createDatabase>>;
let proxy: Awaited<ReturnType<typeof startStatementProxy>>;
let gateway: Gateway;
beforeAll(async () => {
  own = await createDatabase();
  proxy = await startStatementProxy(own.url);
  gateway = await openGateway({ DATABASE_URL: proxy.url });
});
afterAll(async () => {
  await gateway.stop();
  await proxy.close();
  await own.drop();
});

async function open() {
  const integration = await openIntegration({ system: { url: gateway.url, databaseUrl: own.url } });
  const { agent, organization, graphql, post } = integration;
  const pool = database(own.url);
  await graphql('mutation ($id: ID!, $input: AgentChange!) { updateAgent(id: $id, input: $input) { id } }', {
    id: agent.id,
    input: { allowedOrigins: [origin] },
  });
  await graphql('mutation ($id: ID!, $input: NewCustomForm!) { createCustomForm(agentId: $id, input: $input) { id } }', {
    id: agent.id,
    input: { name: 'form', title: 'Form', fields: [{ name: 'text', label: 'Text' }] },
  });
  for (const event of EVENTS) await post('/webhooks', { event, targetUrl: `https://hooks.example.com/${event}` });
  const addTicket = async (): Promise<string> => (await post('/tickets', { agentId: agent.id, subject: 'Help' })).body.id;
  const graph = (query: string, variables: object) => integration.refusal(query, { ...variables });

  /** An operation for each event, and the number of its records. */
  const writes: Record<string, { prepare?: () => Promise<string>; write: (id: string) => Promise<unknown>; records: string }> = {
    'lead.created': {
      write: () => post('/leads', { agentId: agent.id, email: 'ada@example.com' }),
      records: 'select 1 from agent.leads',
    },
    'form.submitted': {
      write: () =>
        caller(undefined, gateway).post(
          `/api/agents/${agent.publicSlug}/forms/form/submissions`,
          { values: { text: 'Hi' } },
          { origin },
        ),
      records: 'select 1 from agent.form_submissions',
    },
    'ticket.created': {
      write: () => post('/tickets', { agentId: agent.id, subject: 'Help', requesterEmail: 'ada@example.com' }),
      records: 'select 1 from agent.tickets',
    },
    'ticket.assigned': {
      prepare: addTicket,
      write: (id) =>
        graph('mutation ($id: ID!, $userId: ID!) { assignTicket(id: $id, userId: $userId) { id } }', {
          id,
          userId: organization.owner.id,
        }),
      records: 'select 1 from agent.tickets where assigned_to_user_id is not null',
    },
    'ticket.status_changed': {
      prepare: addTicket,
      write: (id) => graph('mutation ($id: ID!) { setTicketStatus(id: $id, status: on_hold) { id } }', { id }),
      records: `select 1 from agent.tickets where status <> 'new'`,
    },
    'ticket.replied': {
      prepare: addTicket,
      write: (id) => graph('mutation ($id: ID!) { replyToTicket(id: $id, text: "Hi") { id } }', { id }),
      records: `select 1 from agent.ticket_messages where kind = 'reply'`,
    },
  };
  const count = async (text: string, ...values: unknown[]) =>
    (await pool.query(`select count(*)::int as n from (${text}) rows`, values)).rows[0].n;
  const tally = async (event: string) => ({
    records: await count(writes[event]!.records),
    events: await count('select 1 from webhooks.deliveries where event = $1', event),
  });
  /** Run the write while the proxy cuts; false when the transaction ended before the cut. */
  const cut = async (event: string, at: Cut): Promise<boolean> => {
    const id = (await writes[event]!.prepare?.()) ?? '';
    proxy.arm(at);
    await writes[event]!.write(id).catch(() => {});
    const wasCut = proxy.disarm();
    // The server rolls back when it notices the closed connection, and the pool reconnects.
    await until(
      async () =>
        (await count(`select 1 from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`)) ===
        0,
    );
    await until(
      async () =>
        (
          await caller(undefined, gateway)
            .get('/readyz')
            .catch(() => ({ status: 0 }))
        ).status === 200,
    );
    return wasCut;
  };
  return { tally, cut };
}

test.each(EVENTS)('a process that dies at any statement of %s leaves the record with its event, or neither', async (event) => {
  const { tally, cut } = await open();
  const table: string[] = [];
  let before = await tally(event);
  for (let statement = 2; ; statement += 1) {
    const wasCut = await cut(event, { before: statement });
    const after = await tally(event);
    const added = { records: after.records - before.records, events: after.events - before.events };
    expect([statement, added.records]).toEqual([statement, added.events]);
    before = after;
    if (!wasCut) break;
    table.push(`before statement ${statement}: ${added.records}`);
    // Nothing is committed before the last statement.
    expect(added.records).toBe(0);
  }
  expect(table.length).toBeGreaterThan(3);
  expect(await cut(event, 'after commit')).toBe(true);
  const after = await tally(event);
  expect([after.records - before.records, after.events - before.events]).toEqual([1, 1]);
});

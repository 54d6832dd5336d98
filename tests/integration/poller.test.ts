import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { caller } from '../support/client.ts';
import { type GatewayProcess, startGateway } from '../support/system.ts';
import { until } from '../support/until.ts';
import { startReceiving } from './receiving.ts';

let receiving: Awaited<ReturnType<typeof startReceiving>>;
let dying: GatewayProcess;
const restart = async () => {
  dying = await startGateway({ DATABASE_URL: receiving.system.databaseUrl });
};
beforeAll(async () => {
  receiving = await startReceiving();
  // Transactions take different times, so they commit in another order than they began.
  await receiving.pool.query(`
    create function slow() returns trigger language plpgsql as $$ begin perform pg_sleep(random() * 0.03); return new; end $$;
    create trigger slow_leads before insert on agent.leads for each row execute function slow();
    create trigger slow_contacts before insert on agent.contacts for each row execute function slow();
    create trigger slow_tickets before insert or update on agent.tickets for each row execute function slow();`);
  await restart();
});
afterAll(async () => {
  await dying.stop();
  await receiving.stop();
});

type Organization = Awaited<ReturnType<typeof receiving.open>>;
interface Row {
  id: string;
  status?: string;
  [time: string]: unknown;
}

/** Poll a list as the documentation says, and pass each version of a record to `handle` once. */
function startPoller({ get }: Organization, list: 'leads' | 'tickets', handle: (row: Row) => void) {
  const [time, sort] = list === 'tickets' ? ['lastActivityAt', '&sort=activity'] : ['createdAt', ''];
  const seen = new Set<string>();
  let since: string | undefined;
  let isStopped = false;
  const poll = async (): Promise<number> => {
    const { body } = await get(`/${list}?limit=100${sort}${since ? `&since=${encodeURIComponent(since)}` : ''}`);
    // A changed record returns with a later activity.
    const rows = (body[list] as Row[]).filter((row) => !seen.has(`${row.id} ${row[time]}`));
    for (const row of rows) {
      seen.add(`${row.id} ${row[time]}`);
      handle(row);
    }
    since = (body[list][0]?.[time] as string | undefined) ?? since;
    return rows.length;
  };
  const running = (async () => {
    while (!isStopped) {
      await poll();
      await pause(20);
    }
  })();
  return {
    async stop() {
      isStopped = true;
      await running;
      while ((await poll()) > 0);
    },
  };
}

/** Send a request until it succeeds, although the gateway may die. The key prevents duplicates. */
async function insist(path: string, body: object, key: string): Promise<{ id: string }> {
  const headers = { 'idempotency-key': randomUUID() };
  for (;;) {
    const answer = await caller(key, dying)
      .post(path, body, headers)
      .catch(() => undefined);
    if (answer?.status === 201) return answer.body;
    await pause(50);
  }
}

test('the documented poller gets every record once, while writers work concurrently and their gateway is killed', async () => {
  const organization = await receiving.open();
  const { key } = organization.organization;
  const agentId = organization.agent.id;
  const STATUS = 'mutation ($id: ID!, $status: TicketStatus!) { setTicketStatus(id: $id, status: $status) { id } }';
  const leads: string[] = [];
  const statuses = new Map<string, string | undefined>();
  const pollers = [
    startPoller(organization, 'leads', ({ id }) => leads.push(id)),
    startPoller(organization, 'tickets', ({ id, status }) => statuses.set(id, status)),
  ];
  let written = 0;
  const writer = async (nth: number) => {
    for (let count = 0; count < 8; count += 1) {
      const name = `Writer ${nth} ${count}`;
      await insist('/api/v1/leads', { agentId, name }, key);
      const { id } = await insist('/api/v1/tickets', { agentId, subject: name }, key);
      if (count % 3 === 0) await organization.graphql(STATUS, { id, status: 'closed' });
      written += 1;
    }
  };
  const writers = Promise.all(Array.from({ length: 8 }, (_, nth) => writer(nth)));
  await until(() => written >= 20);
  await dying.stop('SIGKILL');
  await restart();
  await writers;
  for (const poller of pollers) await poller.stop();
  const { rows } = await receiving.pool.query('select id from agent.leads order by id');
  expect([...leads].sort()).toEqual(rows.map(({ id }) => id));
  expect(leads).toHaveLength(64);
  const tickets = await receiving.pool.query('select id, status from agent.tickets');
  expect(new Map([...statuses].sort())).toEqual(
    new Map(tickets.rows.map(({ id, status }): [string, string] => [id, status]).sort()),
  );
});

test('a poller that was away gets a burst of more than a page, oldest first', async () => {
  const organization = await receiving.open();
  const agentId = organization.agent.id;
  await organization.lead('First');
  const got: string[] = [];
  const poller = startPoller(organization, 'leads', ({ id }) => got.push(id));
  await until(() => got.length === 1);
  await receiving.pool.query(
    `insert into agent.leads (id, organization_id, agent_id, agent_name, contact_id, name, created_at)
     select gen_random_uuid(), organization_id, $1, 'Agent', contact_id, n::text, created_at + n * interval '1 millisecond'
       from agent.leads cross join generate_series(1, 350) n where organization_id = $2`,
    [agentId, organization.organization.id],
  );
  await poller.stop();
  expect(new Set(got).size).toBe(351);
  expect(got).toHaveLength(351);
});

test('the duplicate of a merge is an activity, too', async () => {
  const { agent, post, get, graphql } = await receiving.open();
  const [one, two] = [
    await post('/tickets', { agentId: agent.id, subject: 'A' }),
    await post('/tickets', { agentId: agent.id, subject: 'B' }),
  ];
  const since = encodeURIComponent(two.body.lastActivityAt);
  await graphql('mutation ($id: ID!, $other: ID!) { mergeTicket(id: $id, duplicateId: $other) { id } }', {
    id: two.body.id,
    other: one.body.id,
  });
  const { tickets } = (await get(`/tickets?sort=activity&since=${since}`)).body;
  expect(tickets.map(({ id, status }: Row) => [id, status])).toEqual([
    [one.body.id, 'cancelled'],
    [two.body.id, 'new'],
  ]);
});

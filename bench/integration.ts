import { requestsPerSecond, type Target } from './load.ts';
import type { Line } from './report.ts';
import { each, interleave } from './rounds.ts';
import type { Bench, Note, Part } from './system.ts';

const [SMALL, LARGE] = ['fewrecords', 'manyrecords'] as const;
const ROWS = { [SMALL]: 1_000, [LARGE]: 1_000_000 };
const since = () => encodeURIComponent(new Date(Date.now() - 600_000).toISOString());

/** The query strings of each list. */
const lists: Record<string, () => string> = {
  leads: () => 'leads?limit=100',
  'leads of a poller': () => `leads?limit=100&since=${since()}`,
  'leads by e-mail address': () => 'leads?email=visitor7@example.com',
  submissions: () => 'form-submissions?limit=100',
  'submissions of a form': () => 'form-submissions?formName=form3',
  tickets: () => 'tickets?limit=100',
  'tickets by activity': () => `tickets?limit=100&sort=activity&since=${since()}`,
  'tickets by status': () => 'tickets?status=on_hold',
  'tickets by e-mail address': () => 'tickets?email=visitor7@example.com',
  'one ticket by number': () => 'tickets?ticketNumber=TKT-500',
};

/** Every list of the integration API, and the delivery log, at a million rows and at a thousand. */
async function measure(bench: Bench, note: Note): Promise<Line[]> {
  const subscriptions: Record<string, string> = {};
  // Fewer than 1,000 rows would make shorter pages, which cannot be compared.
  for (const slug of [SMALL, LARGE]) subscriptions[slug] = await addRecords(bench, slug, Math.max(bench.of(ROWS[slug]), 1_000));
  await bench.pool.query('vacuum analyze');
  const { key, url, headers } = bench;
  const rest = (slug: string, path: string): Target => ({
    url: `${url}/api/v1/${path}&organization=${slug}`,
    headers: { 'x-api-key': key },
    method: 'GET',
  });
  const log = (slug: string, filter: string): Target => {
    const query = `{ eventDeliveries(subscriptionId: "${subscriptions[slug]}", ${filter}) { nodes { id status } pagination { total } } }`;
    return { url: `${url}/graphql`, headers: { ...headers, 'x-organization': slug }, body: JSON.stringify({ query }) };
  };
  const sides = [
    ...Object.entries(lists).map(([name, path]) => [name, (slug: string) => rest(slug, path())] as const),
    ['delivery log', (slug: string) => log(slug, 'limit: 100')] as const,
    ['delivery log by status', (slug: string) => log(slug, 'status: failed')] as const,
  ];
  const lines: Line[] = [];
  for (const [name, target] of sides) {
    const run = (slug: string) => () => requestsPerSecond(target(slug), bench.seconds);
    const pairs = await interleave(bench.rounds, run(LARGE), run(SMALL), (text) => note(`${name}: ${text}`));
    const values = each(pairs, (large, small) => large / small);
    lines.push({ name: `1,000,000 rows, ${name}`, peer: 'the same with 1,000 rows', pairs, unit: 'req/s', values, atLeast: 0.8 });
  }
  return lines;
}

export const integration: Part = { organizations: [SMALL, LARGE], measure };

/** Create records of every list, one a second, and return a subscription with as many deliveries. */
async function addRecords({ pool, organizations }: Bench, slug: string, count: number): Promise<string> {
  const { id } = organizations[slug]!;
  const insert = async (statement: string) => (await pool.query(`insert into ${statement}`, [id, count])).rows[0]?.id as string;
  const series = `generate_series(1, $2::int) n where $1::uuid is not null`;
  const time = `now() - ($2::int - n) * interval '1 second'`;
  const agentId =
    await insert(`agent.agents (id, organization_id, name, slug, public_slug, model_type, system_prompt, welcome_message,
                                               placeholder, suggested_messages, temperature, theme, branding, allowed_origins,
                                               max_tokens_per_message, max_retrieval_tokens, public_access, voice_enabled)
    select uuidv7(), $1::uuid, 'Agent', 'agent', $1::text, 'agent-chat-v1', '', '', '', '{}', 0, '{}', '{}', '{}', 64, 0, false, false from generate_series($2::int, $2::int) returning id`);
  const contactId = await insert(
    `agent.contacts (id, organization_id) select uuidv7(), $1::uuid from generate_series($2::int, $2::int) returning id`,
  );
  const origin = `'${agentId}', 'Agent'`;
  await insert(`agent.leads (id, organization_id, agent_id, agent_name, contact_id, name, email, created_at)
    select uuidv7(), $1::uuid, ${origin}, '${contactId}', 'Visitor ' || n, 'visitor' || n || '@example.com', ${time} from ${series}`);
  await insert(`agent.form_submissions (id, organization_id, agent_id, agent_name, form_name, "values", created_at)
    select uuidv7(), $1::uuid, ${origin}, 'form' || n % 10, '{"text":"Hello"}', ${time} from ${series}`);
  await insert(`agent.tickets (id, organization_id, agent_id, agent_name, ticket_number, subject, description, status, priority, source,
                               requester_email, created_at, last_activity_at)
    select uuidv7(), $1::uuid, ${origin}, 'TKT-' || n, 'Ticket', 'Help', (array['new', 'on_you', 'on_customer', 'on_hold', 'closed'])[n % 5 + 1],
           'normal', 'api', 'visitor' || n || '@example.com', ${time}, ${time} from ${series}`);
  const subscriptionId = await insert(`webhooks.subscriptions (id, organization_id, surface, url, events)
    select uuidv7(), $1::uuid, 'integration', 'https://hooks.example.com/', '{lead.created}' from generate_series($2::int, $2::int) returning id`);
  const eventId = await insert(`webhooks.events (id, organization_id, event, occurred_at, payload)
    select uuidv7(), $1::uuid, 'lead.created', now(), '{}' from generate_series($2::int, $2::int) returning id`);
  await insert(`webhooks.deliveries (id, organization_id, subscription_id, event, event_id, status, attempts, created_at)
    select uuidv7(), $1::uuid, '${subscriptionId}', 'lead.created', '${eventId}', case when n % 100 = 0 then 'failed' else 'delivered' end, 1, ${time}
      from ${series}`);
  return subscriptionId;
}

import { ExpiryPlace, removeExpired } from '../../subgraphs/agent/conversations/conversation-expiry.ts';
import { createDatabase } from '../support/database.ts';
import { readBy } from '../support/scanned-rows.ts';
import { openInProcess } from './in-process.ts';

const own = await createDatabase();
const { services, close } = await openInProcess(own.url);
const { pool } = services;
afterAll(async () => {
  await close();
  await own.drop();
});
beforeEach(() => pool.query('truncate agent.agents, agent.conversations cascade'));

/** Agents that keep conversations for a day, with expired conversations each, and as many that keep them forever. */
const seed = (agents: number, expired: (n: string) => string) =>
  pool.query(`
    begin;
    set local session_replication_role = replica;
    insert into agent.agents (id, organization_id, name, slug, public_slug, model_type, system_prompt, welcome_message, placeholder, suggested_messages,
                              temperature, theme, branding, allowed_origins, max_tokens_per_message, max_retrieval_tokens, public_access, voice_enabled, retention_days)
      select lpad(n::text, 32, '0')::uuid, gen_random_uuid(), '', n, n, 'budget-v1', '', '', '', '{}', 0, '{}', '{}', '{}', 1, 1, true, false,
             case when n % 2 = 0 then 1 end
        from generate_series(1, ${2 * agents}) n;
    insert into agent.conversations (id, organization_id, agent_id, visitor_id, channel, status, last_message_at)
      select gen_random_uuid(), a.organization_id, a.id, 'V', 'widget', 'open', now() - interval '2 days'
        from agent.agents a cross join lateral generate_series(1, ${expired('a.slug::int')});
    commit;
    analyze agent.agents, agent.conversations`);
const left = async () => {
  const { rows } = await pool.query(
    'select count(*)::int as n from agent.conversations c join agent.agents a on a.id = agent_id and retention_days = 1',
  );
  return rows[0].n;
};

test('each sweep continues with the next thousand agents', async () => {
  await seed(2_200, (n) => `case when ${n} in (10, 11, 2100, 4400) then 1 else 0 end`);
  const place = new ExpiryPlace();
  const sweeps = [];
  for (let sweep = 0; sweep < 3; sweep += 1) {
    await removeExpired(pool, place);
    sweeps.push(await left());
  }
  expect(sweeps).toEqual([2, 1, 0]);
  const { rows } = await readBy(pool, () => removeExpired(pool, new ExpiryPlace()));
  expect(rows).toBeLessThan(3_000);
  expect((await pool.query('select from agent.conversations')).rowCount).toBe(1);
});

test('an agent with many expired conversations does not delay those of others', async () => {
  await seed(3, (n) => `case ${n} when 2 then 250 else 1 end`);
  const place = new ExpiryPlace();
  await removeExpired(pool, place);
  expect(await left()).toBe(150);
  await removeExpired(pool, place);
  await removeExpired(pool, place);
  expect(await left()).toBe(0);
});

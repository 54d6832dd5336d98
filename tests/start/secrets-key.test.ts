import { randomBytes } from 'node:crypto';
import { type Database, openDatabase } from '../../platform/database/database.ts';
import { checkSecretsKey, resealCanary, Secrets } from '../../platform/secrets/index.ts';
import { resealSigningSecrets } from '../../platform/webhooks/subscriptions.ts';
import { resealToolSecrets } from '../../subgraphs/agent/secrets/service.ts';
import { createDatabase } from '../support/database.ts';
import { startProcess } from '../support/processes.ts';

const [first, second] = ['the-first-key-of-more-than-32-characters', 'the-second-key-of-more-than-32-characters'];
const sentence = /SECRETS_KEY is not the key that encrypted the secrets in this database\. Set it to the earlier key/;

let database: Database;
let drop: () => Promise<void>;
beforeEach(async () => {
  const created = await createDatabase();
  drop = created.drop;
  database = await openDatabase(created.url, [], { connections: 10 });
});
afterEach(async () => {
  await database.close();
  await drop();
});

const check = (...keys: string[]) => checkSecretsKey(database.pool, new Secrets(keys));

test('a process with the wrong key does not start, and names the remedy', async () => {
  await check(first);
  await check(first);
  await expect(check(second)).rejects.toThrow(sentence);
  const env = { DATABASE_URL: database.directUrl, SECRETS_KEY: second, SUBGRAPH_SECRET: 'secret', PORT: '0' };
  await expect(startProcess('start/subgraph.ts', ['catalog'], env)).rejects.toThrow(sentence);
});

test('of processes that start concurrently on a new database, only those with one key start', async () => {
  const results = await Promise.allSettled(Array.from({ length: 10 }, (_, at) => check(at % 2 === 0 ? first : second)));
  const winners = results.flatMap(({ status }, at) => (status === 'fulfilled' ? [at % 2] : []));
  expect(winners).toHaveLength(5);
  expect(new Set(winners).size).toBe(1);
});

test('a new key works with the old one, and alone after a worker has re-encrypted all secrets', async () => {
  await check(first);
  await insertWebhook(first);
  const both = new Secrets([second, first]);
  await check(second, first);
  await expect(check(second)).rejects.toThrow(sentence);

  await resealSigningSecrets(database.pool, both);
  await resealCanary(database.pool, both);
  await check(second);
  await expect(check(first)).rejects.toThrow(sentence);
});

test('the secrets of tools are re-encrypted, too', async () => {
  const [id, organizationId] = ['22222222-2222-4222-8222-222222222222', await insertOrganization()];
  const name = { organizationId, name: `secret/${id}` };
  const sealed = new Secrets([first]).seal('the value', name);
  await database.pool.query('insert into agent.secrets (id, organization_id, name, sealed) values ($1, $2, $3, $4)', [
    id,
    organizationId,
    'TOKEN',
    sealed,
  ]);
  await resealToolSecrets(database.pool, new Secrets([second, first]));
  const { rows } = await database.pool.query('select sealed from agent.secrets');
  expect(new Secrets([second]).open(rows[0].sealed, name)).toBe('the value');
});

test('one secret of a lost key does not block the re-encryption of others', async () => {
  const lost = await insertWebhook('a-lost-key-of-more-than-32-characters', '00000000-0000-4000-8000-000000000000');
  const usable = await insertWebhook(first, 'ffffffff-ffff-4fff-bfff-ffffffffffff');
  const both = new Secrets([second, first]);
  await resealSigningSecrets(database.pool, both);
  const { rows } = await database.pool.query('select id, secret from webhooks.subscriptions order by id');
  expect(rows.map(({ id, secret }) => [id, both.isCurrent(secret)])).toEqual([
    [lost, false],
    [usable, true],
  ]);
});

async function insertWebhook(key: string, id = '11111111-1111-4111-8111-111111111111'): Promise<string> {
  const organizationId = await insertOrganization();
  const secret = new Secrets([key]).seal('whsec', { organizationId, name: `webhook/${id}` });
  await database.pool.query(
    `insert into webhooks.subscriptions (id, organization_id, surface, url, events, secret) values ($1, $2, 'catalog', 'https://example.com', '{}', $3)`,
    [id, organizationId, secret],
  );
  return id;
}

async function insertOrganization(): Promise<string> {
  const slug = `org-${randomBytes(4).toString('hex')}`;
  const { rows } = await database.pool.query(
    'insert into identity.organizations (id, slug, name) values (gen_random_uuid(), $1, $1) returning id',
    [slug],
  );
  return rows[0].id;
}

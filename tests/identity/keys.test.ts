import { createHash } from 'node:crypto';
import { caller } from '../support/client.ts';
import { type Gateway, openGateway } from '../support/gateway.ts';
import { database, type Role, seedOrganization } from '../support/seed.ts';
import { startGateway } from '../support/system.ts';

const create =
  'mutation ($expiresAt: DateTime) { createApiKey(name: "Import", expiresAt: $expiresAt) { key apiKey { id name prefix expiresAt disabledAt user { id } } } }';

test('a key is shown once, and only its hash is stored', async () => {
  const { key: own, slug, owner } = await seedOrganization();
  const { createApiKey } = await caller(own).graphql(create);
  const { key, apiKey } = createApiKey;
  expect(apiKey).toEqual({
    id: expect.any(String),
    name: 'Import',
    prefix: key.slice(0, 10),
    expiresAt: null,
    disabledAt: null,
    user: { id: owner.id },
  });
  expect((await caller(key).post(`/api/${slug}/products/get`)).status).toBe(200);

  const { rows } = await database().query('select * from identity.api_keys where id = $1', [apiKey.id]);
  expect(rows[0].hash).toEqual(createHash('sha256').update(key).digest());
  expect(JSON.stringify(rows)).not.toContain(key);
  const listed = await caller(own).graphql('{ apiKeys { id name prefix createdAt } }');
  expect(listed.apiKeys).toContainEqual({ id: apiKey.id, name: 'Import', prefix: apiKey.prefix, createdAt: expect.any(String) });
  expect(JSON.stringify(listed)).not.toContain(key);
});

test('an admin may take away from the key of an owner, and only an owner may enable it again or let it call more', async () => {
  const { key, addMember } = await seedOrganization();
  const [owner, admin] = [caller(key), caller((await addMember('admin')).key)];
  const { id } = (await owner.graphql(create)).createApiKey.apiKey;
  const [enable, disable] = ['enable', 'disable'].map((how) => `mutation ($id: ID!) { key: ${how}ApiKey(id: $id) { disabledAt } }`);
  const change =
    'mutation ($id: ID!, $toolGroups: [ToolGroup!]!) { updateApiKey(id: $id, toolGroups: $toolGroups) { toolGroups } }';
  const refused = { code: 'FORBIDDEN', message: 'Only an owner may enable the key of an owner or let it call more.' };

  await admin.graphql(disable!, { id });
  expect(await admin.refusal(enable!, { id })).toMatchObject(refused);
  expect(await owner.graphql(enable!, { id })).toEqual({ key: { disabledAt: null } });
  const fewer = { id, toolGroups: ['agents-read'] };
  expect(await admin.graphql(change, fewer)).toEqual({ updateApiKey: { toolGroups: ['agents-read'] } });
  const more = { id, toolGroups: ['agents-read', 'agents-write'] };
  expect(await admin.refusal(change, more)).toMatchObject(refused);
  expect(await owner.graphql(change, more)).toEqual({ updateApiKey: { toolGroups: more.toolGroups } });
  await admin.graphql('mutation ($id: ID!) { revokeApiKey(id: $id) { deleted } }', { id });

  const another = (await caller((await addMember('admin')).key).graphql(create)).createApiKey.apiKey.id;
  await admin.graphql(disable!, { id: another });
  expect(await admin.graphql(enable!, { id: another })).toEqual({ key: { disabledAt: null } });
  expect(await admin.graphql(change, { ...more, id: another })).toEqual({ updateApiKey: { toolGroups: more.toolGroups } });
});

test('the keys of a removed member work again with the next membership, unless an admin revokes them', async () => {
  const { key, slug, addMember, addKey, join } = await seedOrganization();
  const [{ graphql }, member] = [caller(key), await addMember('member')];
  const second = await addKey(member.id);
  const statuses = () =>
    Promise.all([member.key, second].map(async (own) => (await caller(own).post(`/api/${slug}/products/get`)).status));
  await graphql('mutation ($id: ID!) { removeMember(userId: $id) { id } }', { id: member.id });
  expect(await statuses()).toEqual([403, 403]);
  const { apiKeys } = await graphql('{ apiKeys { id user { id } } }');
  const [{ id } = {}, ...more] = apiKeys.filter(({ user }: { user: { id: string } }) => user.id === member.id);
  expect(more).toHaveLength(1);
  await graphql('mutation ($id: ID!) { revokeApiKey(id: $id) { deleted } }', { id });
  await join(member.id, 'member');
  expect((await statuses()).sort()).toEqual([200, 403]);
});

test('an organization has at most 100 keys, and revoked ones do not count', async () => {
  const { key, id, owner } = await seedOrganization();
  await database().query(
    `insert into identity.api_keys (id, organization_id, user_id, name, prefix, hash, revoked_at)
     select gen_random_uuid(), $1::uuid, $2, 'test', 'ck_', sha256(($1::text || n)::bytea), case when n > 97 then now() end from generate_series(1, 110) as n`,
    [id, owner.id],
  );
  const answers = await Promise.all([1, 2, 3, 4].map(() => caller(key).post('/graphql', { query: create })));
  const codes = answers.map(({ body }) => body.errors?.[0]?.extensions.code ?? 'made');
  expect(codes.sort()).toEqual(['LIMIT_REACHED', 'LIMIT_REACHED', 'made', 'made']);
});

test('a key works until it expires', async () => {
  const { key: own, slug } = await seedOrganization();
  const past = new Date(Date.now() - 1_000).toISOString();
  const refused = { code: 'INVALID_INPUT', message: 'expiresAt must be in the future' };
  expect(await caller(own).refusal(create, { expiresAt: past })).toMatchObject(refused);
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
  const { createApiKey } = await caller(own).graphql(create, { expiresAt: inAnHour });
  expect(createApiKey.apiKey.expiresAt).toBe(inAnHour);
  const { post } = caller(createApiKey.key);
  expect((await post(`/api/${slug}/products/get`)).status).toBe(200);
  const soon = new Date(Date.now() + 4_000).toISOString();
  const short = caller((await caller(own).graphql(create, { expiresAt: soon })).createApiKey.key);
  // The key is cached while valid, and its expiry triggers no notification.
  expect((await short.post(`/api/${slug}/products/get`)).status).toBe(200);
  const { status } = await until(
    () => short.post(`/api/${slug}/products/get`),
    ({ status }) => status === 401,
  );
  expect(status).toBe(401);
});

test.each<[Role, boolean]>([
  ['owner', true],
  ['admin', true],
  ['member', false],
])('%s may manage keys: %p', async (role, allowed) => {
  const organization = await seedOrganization();
  const { key } = await organization.addMember(role);
  const colleague = await organization.addMember('admin');
  const { rows } = await database().query('select id from identity.api_keys where organization_id = $1 and user_id = $2', [
    organization.id,
    colleague.id,
  ]);
  const { id } = rows[0];
  const operations = [
    '{ apiKeys { id } }',
    'mutation { createApiKey(name: "Mine") { apiKey { id } } }',
    `mutation { disableApiKey(id: "${id}") { id } }`,
    `mutation { enableApiKey(id: "${id}") { id } }`,
    `mutation { updateApiKey(id: "${id}", toolGroups: []) { id } }`,
    `mutation { revokeApiKey(id: "${id}") { deleted } }`,
  ];
  for (const operation of operations) {
    const { code } = await caller(key).refusal(operation);
    expect([operation, code]).toEqual([operation, allowed ? undefined : 'FORBIDDEN']);
  }
});

test('an unknown, foreign or revoked key cannot be enabled or disabled', async () => {
  const [own, other] = await Promise.all([seedOrganization(), seedOrganization()]);
  const { createApiKey: foreign } = await caller(other!.key).graphql(create);
  const { createApiKey: gone } = await caller(own!.key).graphql(create);
  await caller(own!.key).graphql('mutation ($id: ID!) { revokeApiKey(id: $id) { deleted } }', { id: gone.apiKey.id });
  for (const id of [foreign.apiKey.id, gone.apiKey.id, crypto.randomUUID(), 'x']) {
    for (const name of ['disableApiKey', 'enableApiKey', 'revokeApiKey']) {
      expect(await caller(own!.key).refusal(`mutation ($id: ID!) { ${name}(id: $id) { id } }`, { id })).toMatchObject({
        code: 'NOT_FOUND',
      });
    }
  }
  expect((await caller(foreign.key).post(`/api/${other!.slug}/products/get`)).status).toBe(200);
});

test('a key cannot be bound to what is no workspace', async () => {
  const { key } = await seedOrganization();
  for (const id of ['', 'x', crypto.randomUUID()]) {
    const bound = 'mutation ($id: ID!) { createApiKey(name: "bound", workspaceId: $id) { key } }';
    expect(await caller(key).refusal(bound, { id })).toMatchObject({ code: 'NOT_FOUND' });
  }
});

describe('a change applies to the next request', () => {
  let second: Gateway;
  beforeAll(async () => {
    second = await openGateway();
  });
  afterAll(() => second.stop());

  type Seeded = Awaited<ReturnType<typeof seedOrganization>>;
  interface Change {
    name: string;
    mutation: string;
    /** The status before and after for an admin. */
    before: number;
    after: number;
    prepare?: (organization: Seeded, ids: { userId: string; keyId: string }) => Promise<unknown>;
  }
  const changes: Change[] = [
    { name: 'disabling the key', mutation: 'mutation ($keyId: ID!) { disableApiKey(id: $keyId) { id } }', before: 200, after: 401 },
    {
      name: 'enabling the key',
      mutation: 'mutation ($keyId: ID!) { enableApiKey(id: $keyId) { id } }',
      before: 401,
      after: 200,
      prepare: ({ key }, { keyId }) =>
        caller(key).graphql('mutation ($keyId: ID!) { disableApiKey(id: $keyId) { id } }', { keyId }),
    },
    { name: 'revoking the key', mutation: 'mutation ($keyId: ID!) { revokeApiKey(id: $keyId) { id } }', before: 200, after: 403 },
    {
      name: 'removing the member',
      mutation: 'mutation ($userId: ID!) { removeMember(userId: $userId) { id } }',
      before: 200,
      after: 403,
    },
  ];

  const setUp = async ({ prepare }: Change) => {
    const organization = await seedOrganization();
    const { id: userId, key } = await organization.addMember('admin');
    const { rows } = await database().query('select id from identity.api_keys where user_id = $1', [userId]);
    const ids = { userId, keyId: rows[0].id as string };
    await prepare?.(organization, ids);
    return { organization, key, ids };
  };
  const variablesOf = ({ mutation }: Change, ids: { userId: string; keyId: string }) =>
    mutation.includes('$keyId') ? { keyId: ids.keyId } : { userId: ids.userId };

  test.each(changes)('$name, in the same process', async (change) => {
    for (let round = 0; round < 10; round++) {
      const { organization, key, ids } = await setUp(change);
      const ask = () => caller(key).post(`/api/${organization.slug}/products/get`);
      await until(ask, ({ status }) => status === change.before);
      await caller(organization.key).graphql(change.mutation, variablesOf(change, ids));
      expect((await ask()).status).toBe(change.after);
    }
  });

  test.each(changes)('$name, in another process', async (change) => {
    const { organization, key, ids } = await setUp(change);
    const ask = () => caller(key, { url: second.url }).post(`/api/${organization.slug}/products/get`);
    expect((await until(ask, ({ status }) => status === change.before)).status).toBe(change.before);
    await caller(organization.key).graphql(change.mutation, variablesOf(change, ids));
    expect((await until(ask, ({ status }) => status === change.after, NOTIFIED)).status).toBe(change.after);
  });

  test('another role, in both processes', async () => {
    const { addMember, key } = await seedOrganization();
    const { id, key: theirs } = await addMember('admin');
    const ask = async (url?: string) => (await caller(theirs, { url }).refusal('{ apiKeys { id } }')).code ?? 'allowed';
    expect([await ask(), await ask(second.url)]).toEqual(['allowed', 'allowed']);
    await caller(key).graphql('mutation ($id: ID!) { updateMember(userId: $id, role: member) { role } }', { id });
    expect(await ask()).toBe('FORBIDDEN');
    expect(
      await until(
        () => ask(second.url),
        (code) => code === 'FORBIDDEN',
        NOTIFIED,
      ),
    ).toBe('FORBIDDEN');
    await caller(key).graphql('mutation ($id: ID!) { updateMember(userId: $id, role: admin) { role } }', { id });
    expect(await ask()).toBe('allowed');
  });

  test('no response and no log contains a key or its hash', async () => {
    const loud = await startGateway({ LOG_LEVEL: 'trace' });
    const { key, slug } = await seedOrganization();
    const hash = createHash('sha256').update(key).digest();
    const here = caller(key, { url: loud.url });
    const bearer = { 'x-api-key': '', authorization: `Bearer ${key}` };
    const answers = await Promise.all([
      here.graphql(
        '{ me { id } organization { id members { user { id email } } } apiKeys { id name prefix createdAt user { id } } }',
      ),
      here.get('/api/organizations/get'),
      here.get('/api/organizations/get', bearer),
      here.post(`/api/${slug}/products/get`),
      here.post(`/api/${slug}/products/get`, '{"broken":'),
      here.post(`/api/no-such/products/get?x-api-key=${key.slice(0, 4)}`),
      here.post('/graphql', { query: '{ nonsense }' }),
      here.post('/graphql', { query: 'query ($id: ID!) { product(id: $id) { id } }', variables: { id: 'x' } }),
    ]);
    await loud.stop();
    const all = JSON.stringify(answers) + loud.output();
    expect(loud.output()).not.toBe('');
    for (const secret of [key, key.slice(3), hash.toString('hex'), hash.toString('base64')]) expect(all).not.toContain(secret);
  });
});

/** Notifications take milliseconds, but lookups are cached for 30 seconds. */
const NOTIFIED = 20_000;

/** Poll until the response matches or a timeout expires. Returns the last response. */
async function until<T>(ask: () => Promise<T>, wished: (answer: T) => boolean, milliseconds = 100_000): Promise<T> {
  const end = Date.now() + milliseconds;
  for (;;) {
    const answer = await ask();
    if (wished(answer) || Date.now() > end) return answer;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

import { randomUUID } from 'node:crypto';
import { caller } from '../support/client.ts';
import { environmentOf } from '../support/environment.ts';
import { openGateway } from '../support/gateway.ts';
import { type Running, startProcess } from '../support/processes.ts';
import { database, seedOrganization } from '../support/seed.ts';
import { until } from '../support/until.ts';

const once = (key: string = randomUUID()) => ({ 'idempotency-key': key });
const drill = { sku: 'DRILL', name: 'Drill' };

async function open() {
  const organization = await seedOrganization();
  const api = caller(organization.key);
  const create = (body: unknown, headers = {}) => api.post(`/api/${organization.slug}/products/create`, body, headers);
  const count = async () =>
    (await database().query('select count(*)::int from catalog.products where organization_id = $1', [organization.id])).rows[0]
      .count;
  return { ...organization, api, create, count };
}

describe('Idempotency-Key over REST', () => {
  test('a repeated create returns the first status and body, and creates nothing', async () => {
    const { create, count } = await open();
    const headers = once();
    const first = await create(drill, headers);
    const second = await create(drill, headers);
    expect(first.status).toBe(200);
    expect(second).toMatchObject({ status: first.status, body: first.body });
    expect(await count()).toBe(1);
  });

  test('another order of the keys is the same body', async () => {
    const { create } = await open();
    const headers = once();
    const first = await create(drill, headers);
    expect((await create({ name: 'Drill', sku: 'DRILL' }, headers)).body).toEqual(first.body);
  });

  test('another body under the same key is 422', async () => {
    const { create, count } = await open();
    const headers = once();
    await create(drill, headers);
    expect(await create({ sku: 'SAW', name: 'Saw' }, headers)).toMatchObject({ status: 422, body: { success: false } });
    expect(await count()).toBe(1);
  });

  test('concurrent requests create once and return the same result', async () => {
    const { create, count } = await open();
    const headers = once();
    const answers = await Promise.all(Array.from({ length: 8 }, () => create(drill, headers)));
    expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1);
    expect(answers[0]!.status).toBe(200);
    expect(await count()).toBe(1);
  });

  test('a failure is not stored', async () => {
    const { create, api, slug } = await open();
    const { body } = await create(drill);
    const headers = once();
    expect((await create(drill, headers)).status).toBe(409);
    await api.post(`/api/${slug}/products/${body.data.id}/delete`);
    expect((await create(drill, headers)).status).toBe(200);
  });

  test('the key is scoped to user, organization and operation', async () => {
    const { create, api, slug, addMember, count } = await open();
    const headers = once();
    await create(drill, headers);
    const other = await addMember('member');
    expect((await caller(other.key).post(`/api/${slug}/products/create`, drill, headers)).status).toBe(409);
    const elsewhere = await open();
    expect((await elsewhere.create(drill, headers)).status).toBe(200);
    const saw = { products: [{ sku: 'SAW', name: 'Saw' }] };
    expect((await api.post(`/api/${slug}/products/bulk-create`, saw, headers)).body.data.created).toBe(true);
    expect(await count()).toBe(2);
  });

  test('the key expires after a day', async () => {
    const { create, id, api, slug } = await open();
    const headers = once();
    const { body } = await create(drill, headers);
    await api.post(`/api/${slug}/products/${body.data.id}/delete`);
    await database().query(
      `update identity.idempotency_keys set created_at = now() - interval '25 hours' where organization_id = $1`,
      [id],
    );
    const again = await create({ sku: 'SAW', name: 'Saw' }, headers);
    expect(again).toMatchObject({ status: 200, body: { data: { sku: 'SAW' } } });
  });

  describe('whose first request', () => {
    /** The claim of a process that was killed during preparation. */
    async function openClaimed(leasedUntil: string) {
      const opened = await open();
      const headers = once();
      await opened.create(drill, headers);
      await database().query('delete from catalog.products where organization_id = $1', [opened.id]);
      await database().query(
        `update identity.idempotency_keys set result = null, leased_until = now() + $2::interval where organization_id = $1`,
        [opened.id, leasedUntil],
      );
      return { ...opened, headers };
    }

    test('was interrupted by a crash runs again after the lease expires', async () => {
      const { create, count, headers } = await openClaimed('2 seconds');
      const answers = await Promise.all([create(drill, headers), create(drill, headers)]);
      expect(answers[0]!.status).toBe(200);
      expect(answers[1]).toMatchObject({ status: 200, body: answers[0]!.body });
      expect(await count()).toBe(1);
    });

    test('is still running makes repeats wait, and get 409 after ten seconds', async () => {
      const { create, count, headers } = await openClaimed('1 minute');
      const begun = Date.now();
      expect(await create(drill, headers)).toMatchObject({ status: 409, body: { success: false } });
      expect(Date.now() - begun).toBeGreaterThan(9_000);
      expect(await create({ ...drill, name: 'Saw' }, headers)).toMatchObject({ status: 422 });
      expect(await count()).toBe(0);
    });
  });

  test.each([[''], ['a b'], ['x'.repeat(256)]])('the key %j is rejected', async (key) => {
    const { create } = await open();
    expect((await create(drill, once(key))).status).toBe(400);
  });

  test('a job is started once', async () => {
    const { create, api, slug, id } = await open();
    const { body } = await create(drill);
    const start = () =>
      api.post(`/api/${slug}/product-enrichment-jobs/create`, { productIds: [body.data.id], modelType: 'budget-v1' }, headers);
    const headers = once();
    const [first, second] = await Promise.all([start(), start()]);
    expect(second).toMatchObject({ status: 200, body: first.body });
    const { rows } = await database().query('select id from catalog.jobs where organization_id = $1', [id]);
    expect(rows).toEqual([{ id: first.body.data.jobId }]);
  });
});

test('the documents name the header and its errors exactly for operations that create', async () => {
  const { paths } = (await caller(undefined).get('/openapi.json')).body;
  const operations = Object.entries<Record<string, { parameters?: { name: string }[]; responses: object }>>(paths).flatMap(
    ([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, ...operation })),
  );
  const documented = operations.filter(({ parameters }) => parameters?.some(({ name }) => name === 'Idempotency-Key'));
  expect(documented.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'post /api/{organization}/products/create',
      'post /api/{organization}/products/bulk-create',
      'post /api/{organization}/product-enrichment-jobs/create',
      'post /api/{organization}/agents',
    ]),
  );
  expect(documented.map(({ name }) => name)).not.toContain('post /api/{organization}/products/{product_id}/update');
  for (const { responses } of documented) expect(Object.keys(responses)).toEqual(expect.arrayContaining(['409', '422']));
});

describe('Idempotency-Key over GraphQL', () => {
  const NEW_KEY = 'mutation { createApiKey(name: "ci") { key apiKey { id name createdAt user { id } } } }';

  test('a secret is shown once: a repeated request gets null instead, and the database never stores it', async () => {
    const { api, id, slug } = await open();
    const headers = once();
    const first = await api.post('/graphql', { query: NEW_KEY }, headers);
    const { key, ...rest } = first.body.data.createApiKey;
    expect(key).toMatch(/^ck_/);
    expect((await api.post('/graphql', { query: NEW_KEY }, headers)).body).toEqual({
      data: { createApiKey: { ...rest, key: null } },
    });

    const hook = { action: 'create', url: 'https://hooks.example.com/', eventType: ['product_enrichment.completed'] };
    const { secret, ...webhook } = (await api.post(`/api/${slug}/webhooks`, hook, headers)).body.data.webhook;
    expect(secret).toMatch(/^whsec_/);
    const again = await api.post(`/api/${slug}/webhooks`, hook, headers);
    expect(again).toMatchObject({ status: 200, body: { data: { webhook: { ...webhook, secret: null } } } });

    const { rows } = await database().query('select result from identity.idempotency_keys where organization_id = $1', [id]);
    expect(rows).toHaveLength(2);
    for (const { result } of rows) for (const each of [key, secret]) expect(result.includes(each)).toBe(false);
  });

  test('a repeated request requires the current permission of its caller', async () => {
    const { id, slug, addMember } = await open();
    const admin = await addMember('admin');
    const api = caller(admin.key);
    const headers = once();
    const attribute = 'mutation { createAttribute(input: { name: "Size", slug: "size", type: text }) { id } }';
    const send = async () => (await api.post('/graphql', { query: attribute }, headers)).body;
    const first = await send();
    expect(await send()).toEqual(first);

    await database().query(`update identity.memberships set role = 'member' where organization_id = $1 and user_id = $2`, [
      id,
      admin.id,
    ]);
    await until(async () => (await send()).errors?.[0].extensions.code === 'FORBIDDEN');
    const create = () => api.post(`/api/${slug}/products/create`, drill, headers);
    expect((await create()).status).toBe(200);
    await database().query('delete from identity.memberships where organization_id = $1 and user_id = $2', [id, admin.id]);
    await until(async () => (await create()).status === 403);
  });

  test('a user without any organization creates one, once', async () => {
    const { id, owner, api } = await open();
    await database().query('delete from identity.memberships where organization_id = $1', [id]);
    const slug = `made-${randomUUID().slice(0, 13)}`;
    const headers = once();
    const query = `mutation { createOrganization(name: "Made", slug: "${slug}") { id slug role } }`;
    const send = async () => (await api.post('/graphql', { query }, headers)).body;
    await until(async () => (await api.refusal('{ organization { id } }')).code === 'NO_ACCESS');
    const first = await send();
    expect(first).toEqual({ data: { createOrganization: { id: expect.any(String), slug, role: 'owner' } } });
    expect(await send()).toEqual(first);
    const { rows } = await database().query('select organization_id from identity.memberships where user_id = $1', [owner.id]);
    expect(rows).toEqual([{ organization_id: first.data.createOrganization.id }]);
  });

  test('two mutations of one request have separate claims', async () => {
    const { api, count } = await open();
    const query = `mutation { a: createProduct(input: {sku: "A", name: "A"}) { id } b: createProduct(input: {sku: "B", name: "B"}) { id } }`;
    const headers = once();
    const first = await api.post('/graphql', { query }, headers);
    expect((await api.post('/graphql', { query }, headers)).body).toEqual(first.body);
    expect(await count()).toBe(2);
  });
});

describe('with the subgraph in a separate process', () => {
  const processes: Pick<Running, 'stop'>[] = [];
  let url: string;
  afterAll(() => Promise.all(processes.map((each) => each.stop())));

  test('the key is forwarded', async () => {
    const common = environmentOf({ env: { SUBGRAPH_SECRET: 'secret-of-the-test-secret-of-the-test' } });
    const SECRETS_KEY = `the-next-key-of-the-tests-and-of-nothing-else,${common.SECRETS_KEY}`;
    const subgraph = await startProcess('start/subgraph.ts', ['catalog'], { ...common, SECRETS_KEY });
    processes.push(subgraph);
    const gateway = await openGateway({ ...common, CATALOG_URL: subgraph.addresses.url! });
    processes.push(gateway);
    url = gateway.url;
    const { key, slug } = await seedOrganization();
    const api = caller(key, { url });
    const headers = once();
    const create = () => api.post(`/api/${slug}/products/create`, drill, headers);
    const first = await create();
    expect(first.status).toBe(200);
    expect((await create()).body).toEqual(first.body);
  });

  test('a retry after a rotation of SECRETS_KEY returns the first result, and another body is still 422', async () => {
    const { create, key, slug } = await open();
    const headers = once();
    const first = await create(drill, headers);
    const retry = (body: unknown) => caller(key, { url }).post(`/api/${slug}/products/create`, body, headers);
    expect(await retry(drill)).toMatchObject({ status: 200, body: first.body });
    expect((await retry({ sku: 'SAW', name: 'Saw' })).status).toBe(422);
  });
});

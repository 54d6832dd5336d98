import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { caller } from '../support/client.ts';
import { seedOrganization } from '../support/seed.ts';
import { asHeader, ask, type Fault, type SurfaceCase, surfaces } from './surfaces.ts';

type Seeded = Awaited<ReturnType<typeof seedOrganization>>;

let organization: Seeded;
let stranger: Seeded;
let keys: Record<Fault, string | undefined>;

beforeAll(async () => {
  [organization, stranger] = await Promise.all([seedOrganization(), seedOrganization()]);
  const { addKey, owner } = organization;
  keys = {
    missing: undefined,
    malformed: 'not-a-key',
    expired: await addKey(owner.id, { expiresAt: new Date(Date.now() - 1_000) }),
    disabled: await addKey(owner.id, { disabled: true }),
    unknown: `ck_${randomBytes(32).toString('base64url')}`,
    revoked: await addKey(owner.id, { revoked: true }),
    stranger: await seedStranger(),
  };
});

/** A valid key of a user who has left the organization of the key. */
async function seedStranger(): Promise<string> {
  const { id, key } = await stranger.addMember('member');
  await caller(stranger.key).graphql('mutation ($id: ID!) { removeMember(userId: $id) { deleted } }', { id });
  return key;
}

const cases = surfaces.flatMap((surface) =>
  Object.entries(surface.refusals).flatMap(([fault, refusal]) =>
    surface.headers.map((header) => ({ surface, name: surface.name, fault: fault as Fault, header, refusal })),
  ),
);

test.each(cases)(
  '$name answers $refusal.status to a key that is $fault, sent as $header',
  async ({ surface, fault, header, refusal }) => {
    const key = keys[fault];
    const answer = await ask(surface, organization, key === undefined ? {} : asHeader(header, key));
    expect(answer).toMatchObject({ status: refusal.status, body: surface.failure(refusal, answer.body) });
  },
);

const accepting = surfaces.flatMap((surface) => surface.headers.map((header) => ({ surface, name: surface.name, header })));

test.each(accepting)('$name accepts a valid key as $header', async ({ surface, header }) => {
  expect((await ask(surface, organization, asHeader(header, organization.key))).status).toBe(200);
});

const withBoth = surfaces.filter(({ headers }) => headers.length === 2);

test.each(withBoth)('$name: of two headers x-api-key wins', async (surface) => {
  const good = organization.key;
  const bad = keys.malformed!;
  expect((await ask(surface, organization, { ...asHeader('x-api-key', good), ...asHeader('authorization', bad) })).status).toBe(
    200,
  );
  expect((await ask(surface, organization, { ...asHeader('x-api-key', bad), ...asHeader('authorization', good) })).status).toBe(
    401,
  );
});

test('the word Bearer may be written in any case, and another scheme is a malformed key', async () => {
  const [catalog] = surfaces as [SurfaceCase];
  const { key } = organization;
  expect((await ask(catalog, organization, { authorization: `bearer ${key}` })).status).toBe(200);
  expect(await ask(catalog, organization, { authorization: `Basic ${key}` })).toMatchObject({
    status: 401,
    body: { success: false, message: 'Invalid API Key' },
  });
});

test('the site-content API rejects x-api-key', async () => {
  const site = surfaces.find(({ name }) => name === 'site-content')!;
  expect(await ask(site, organization, asHeader('x-api-key', organization.key))).toMatchObject({
    status: 401,
    body: { error: { message: 'Missing API Key' } },
  });
});

test('a key of another organization is rejected with 403, by slug and by id', async () => {
  const { post, get } = caller(stranger.key);
  for (const name of [organization.slug, organization.id, 'no-such-organization']) {
    expect(await post(`/api/${name}/products/get`)).toMatchObject({
      status: 403,
      body: { success: false, message: 'Invalid API Key' },
    });
    expect(await get(`/api/${name}/agents`)).toMatchObject({ status: 403, body: { success: false, message: 'Invalid API Key' } });
    expect(await get(`/api/v1/agents?organization=${name}`)).toMatchObject({ status: 403, body: { error: { status: 403 } } });
  }
});

test('an x-organization header does not replace the path', async () => {
  const { post } = caller(stranger.key);
  const answer = await post(`/api/${organization.slug}/products/get`, {}, { 'x-organization': stranger.slug });
  expect(answer.status).toBe(403);
});

test('an organization is named by its slug or its id', async () => {
  const { post } = caller(organization.key);
  await post(`/api/${organization.slug}/products/create`, { sku: 'NAMED', name: 'Named' });
  const [bySlug, byId] = await Promise.all([organization.slug, organization.id].map((name) => post(`/api/${name}/products/get`)));
  expect(bySlug!.body.data.products).toHaveLength(1);
  expect(byId!.body).toEqual(bySlug!.body);
});

test('authentication errors take precedence over a malformed body', async () => {
  const [catalog] = surfaces as [SurfaceCase];
  expect((await ask(catalog, organization, {}, '{"page":')).status).toBe(401);
  expect((await ask(catalog, organization, asHeader('x-api-key', keys.unknown!), '{"page":')).status).toBe(403);
});

test('a rejection does not wait for the body', async () => {
  const url = `${process.env.TEST_URL}/api/${organization.slug}/products/bulk-create`;
  const status = await new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers: { 'content-type': 'application/json', 'content-length': '5000000' } });
    sent.once('response', (response) => {
      resolve(response.statusCode);
      sent.destroy();
    });
    sent.once('error', reject);
    // Send only the headers, never the body.
    sent.flushHeaders();
  });
  expect(status).toBe(401);
});

describe('GraphQL', () => {
  const operation = { query: '{ organization { id } }' };

  test.each([
    ['malformed', 401, 'INVALID_KEY'],
    ['expired', 401, 'INVALID_KEY'],
    ['disabled', 401, 'INVALID_KEY'],
    ['unknown', 403, 'UNKNOWN_KEY'],
    ['revoked', 403, 'UNKNOWN_KEY'],
  ] as const)('refuses a key that is %s with %i and a GraphQL body', async (fault, status, code) => {
    const answer = await caller(keys[fault]).post('/graphql', operation, { accept: 'application/graphql-response+json' });
    expect(answer).toMatchObject({ status, body: { errors: [{ extensions: { code } }] } });
    expect(answer.body.data ?? null).toBeNull();
  });

  test('serves public fields without a key, and reports fields that need one', async () => {
    const mixed = { query: '{ organization { id } widgetForms(publicSlug: "none") { name } }' };
    const { body } = await caller(undefined).post('/graphql', mixed);
    expect(body.errors).toContainEqual(expect.objectContaining({ path: ['organization'], extensions: { code: 'MISSING_KEY' } }));
    expect((await caller(undefined).post('/graphql', { query: '{ __typename }' })).body).toEqual({ data: { __typename: 'Query' } });
  });

  test.each(['application/json', 'application/graphql-response+json'])(
    'an operation of which the caller may use no field has the status of the refusal as %s, and no data',
    async (accept) => {
      const ask = async (key: string | undefined, of?: string, query = operation.query) => {
        const { status, body } = await caller(key, { organization: of }).post('/graphql', { query }, { accept });
        return [status, body.errors?.[0].extensions.code, 'data' in body];
      };
      expect(await ask(undefined)).toEqual([401, 'MISSING_KEY', false]);
      expect(await ask(keys.malformed)).toEqual([401, 'INVALID_KEY', false]);
      expect(await ask(keys.unknown)).toEqual([403, 'UNKNOWN_KEY', false]);
      expect(await ask(stranger.key, organization.slug)).toEqual([403, 'NO_ACCESS', false]);
      expect(await ask(stranger.key, 'no-such-organization')).toEqual([403, 'NO_ACCESS', false]);
      // Fields that need no organization still answer.
      expect(await ask(stranger.key, organization.slug, '{ me { id } organization { id } }')).toEqual([200, 'NO_ACCESS', true]);
    },
  );

  test('an organization without membership of the caller is rejected', async () => {
    const { refusal } = caller(stranger.key, { organization: organization.slug });
    expect(await refusal('{ organization { id } }')).toMatchObject({ code: 'NO_ACCESS' });
    expect(await refusal('{ products { nodes { id } } }')).toMatchObject({ code: 'NO_ACCESS' });
  });

  test('an invalid key never counts as anonymous', async () => {
    expect(await caller(keys.unknown).refusal('{ __typename }')).toMatchObject({ code: 'UNKNOWN_KEY' });
  });
});

describe('the code in the header of a REST refusal', () => {
  const codeOf = async (key: string | undefined, path: string) => {
    const { status, headers, body } = await caller(key).post(path, {});
    return [status, headers.get('x-error-code'), body.message];
  };

  test('tells a mistyped organization from an unknown key, but not whether the organization exists', async () => {
    const list = (slug: string) => `/api/${slug}/products/get`;
    expect(await codeOf(stranger.key, list('no-such-organization'))).toEqual([403, 'NO_ACCESS', 'Invalid API Key']);
    expect(await codeOf(stranger.key, list(organization.slug))).toEqual([403, 'NO_ACCESS', 'Invalid API Key']);
    expect(await codeOf(keys.unknown, list(organization.slug))).toEqual([403, 'UNKNOWN_KEY', 'Invalid API Key']);
    expect(await codeOf(undefined, list(organization.slug))).toEqual([401, 'MISSING_KEY', 'Missing API Key']);
  });
});

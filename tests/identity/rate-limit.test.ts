import { caller } from '../support/client.ts';
import { createDatabase } from '../support/database.ts';
import { type Gateway, openGateway } from '../support/gateway.ts';
import { seedOrganization as seedIn } from '../support/seed.ts';
import { startGateway } from '../support/system.ts';

const LIMIT = 20;

// Use separate gateways, because other tests share the rate limit of this IP address. Two processes show that they share it too.
let databaseUrl: string;
let drop: () => Promise<void>;
let gateways: Gateway[];
beforeAll(async () => {
  ({ url: databaseUrl, drop } = await createDatabase());
  const env = {
    DATABASE_URL: databaseUrl,
    RATE_LIMIT_PER_MINUTE: String(LIMIT),
    GRAPHQL_LIMIT_PER_MINUTE: String(LIMIT),
    TRUST_PROXY: 'true',
  };
  gateways = await Promise.all([startGateway(env), openGateway(env)]);
});
afterAll(async () => {
  await Promise.all(gateways.map((each) => each.stop()));
  await drop();
});

const seedOrganization = () => seedIn({ databaseUrl });
const on = (key: string | undefined, gateway = 0) => caller(key, { url: gateways[gateway]!.url });
const numbersIn = (headers: Headers) =>
  ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'].map((name) => Number(headers.get(name) ?? Number.NaN));
const statuses = (answers: { status: number }[]) => {
  const count = (status: number) => answers.filter((each) => each.status === status).length;
  return { passed: count(200), refused: count(429) };
};

test('a new document counts by its fields, and the same one again as one request', async () => {
  const { key } = await seedOrganization();
  const query = `{ ${Array.from({ length: 25 }, (_, at) => `a${at}: me { id }`).join(' ')} }`;
  const remaining = async (gateway: number) => numbersIn((await on(key, gateway).post('/graphql', { query })).headers)[1];
  expect([await remaining(0), await remaining(0), await remaining(1)]).toEqual([LIMIT - 6, LIMIT - 7, LIMIT - 13]);
});

test('every response carries the three headers, whatever its status', async () => {
  const { slug, key } = await seedOrganization();
  const path = `/api/${slug}/products/get`;
  const answers = [
    await on(key).post(path),
    await on(key).post(path, { limit: 101 }),
    await on(key).post(`/api/${slug}/products/none/get`),
    await on(key).post(`/api/${slug}/no-such-path`),
    await on(key).post('/api/no-such-organization/products/get'),
    await on(undefined).post(path),
    await on('malformed').get('/api/organizations/get'),
    await on(key).post('/graphql', { query: '{ me { id } }' }),
    await on(key).post('/graphql', { query: '{ nonsense }' }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 400, 404, 404, 403, 401, 401, 200, 400]);
  const now = Date.now() / 1000;
  for (const { headers } of answers) {
    const [limit, remaining, reset] = numbersIn(headers);
    expect(limit).toBe(LIMIT);
    expect(remaining).toBeGreaterThanOrEqual(0);
    expect(remaining).toBeLessThan(LIMIT);
    expect(reset).toBeGreaterThan(now - 1);
    expect(reset).toBeLessThan(now + 62);
    expect(Number.isInteger(reset)).toBe(true);
  }
  const remaining = answers.filter((_, at) => ![5, 6].includes(at)).map(({ headers }) => numbersIn(headers)[1]);
  // GraphQL counts apart.
  expect(remaining).toEqual([19, 18, 17, 16, 15, 19, 18]);
});

test('above the limit the answer is 429 with a time to wait', async () => {
  const { slug, key } = await seedOrganization();
  for (let sent = 0; sent < LIMIT; sent++) expect((await on(key).post(`/api/${slug}/products/get`)).status).toBe(200);
  const before = Date.now() / 1000;
  const { status, body, headers } = await on(key).post(`/api/${slug}/products/get`);
  const after = Date.now() / 1000;
  expect({ status, body }).toEqual({ status: 429, body: { success: false, message: 'Rate limit exceeded' } });
  const [, remaining, reset] = numbersIn(headers);
  expect(remaining).toBe(0);
  const wait = Number(headers.get('retry-after'));
  expect(wait).toBeGreaterThan(0);
  // Both are whole seconds, rounded up.
  expect(wait).toBeLessThanOrEqual(61);
  expect(reset! - wait).toBeGreaterThan(before - 2);
  expect(reset! - wait).toBeLessThan(after + 2);
});

test('of 60 requests at once exactly the limit passes', async () => {
  const { slug, key } = await seedOrganization();
  const answers = await Promise.all(Array.from({ length: 60 }, () => on(key).post(`/api/${slug}/products/get`)));
  expect(statuses(answers)).toEqual({ passed: LIMIT, refused: 60 - LIMIT });
});

test('two processes count together when requests are spread over them', async () => {
  const { slug, key } = await seedOrganization();
  const answers = await Promise.all(Array.from({ length: 60 }, (_, at) => on(key, at % 2).post(`/api/${slug}/products/get`)));
  expect(statuses(answers)).toEqual({ passed: LIMIT, refused: 60 - LIMIT });
});

test('a process learns the counts of another process', async () => {
  const { slug, key } = await seedOrganization();
  const send = async (gateway: number, times: number) => {
    const answers = [];
    for (let sent = 0; sent < times; sent++) answers.push(await on(key, gateway).post(`/api/${slug}/products/get`));
    return answers;
  };
  const answers = [...(await send(0, 1)), ...(await send(1, LIMIT - 1)), ...(await send(0, 5))];
  expect(statuses(answers)).toEqual({ passed: LIMIT, refused: 5 });
});

test('under a large limit every request counts exactly once', async () => {
  // The running system allows a million.
  const { slug, key } = await seedIn();
  const { post } = caller(key);
  await Promise.all(Array.from({ length: 200 }, () => post(`/api/${slug}/products/get`)));
  const [limit, remaining] = numbersIn((await post(`/api/${slug}/products/get`)).headers);
  expect(limit! - remaining!).toBe(201);
});

test('each key has a separate limit', async () => {
  const { slug, key, owner, addKey } = await seedOrganization();
  const second = await addKey(owner.id);
  await Promise.all(Array.from({ length: LIMIT + 5 }, () => on(key).post(`/api/${slug}/products/get`)));
  expect((await on(key).post(`/api/${slug}/products/get`)).status).toBe(429);
  expect((await on(second).post(`/api/${slug}/products/get`)).status).toBe(200);
});

test('GraphQL counts against a limit of its own, and its 429 has a GraphQL body', async () => {
  const { slug, key } = await seedOrganization();
  const ask = () => on(key).post('/graphql', { query: '{ me { id } }' });
  for (let sent = 0; sent < LIMIT; sent++) await ask();
  const { status, body, headers } = await ask();
  expect(status).toBe(429);
  expect(body).toEqual({
    errors: [{ message: 'Rate limit exceeded', extensions: expect.objectContaining({ code: 'RATE_LIMITED' }) }],
  });
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await on(key).post(`/api/${slug}/products/get`)).status).toBe(200);
});

// Run last, because it exhausts the rate limit of this IP address.
test('requests without a working key are counted by address', async () => {
  const { key, slug } = await seedOrganization();
  const tries = await Promise.all(
    Array.from({ length: 2 * LIMIT }, (_, at) =>
      on(at % 2 ? undefined : `ck_${String(at).padStart(43, 'A')}`).post(`/api/${slug}/products/get`),
    ),
  );
  expect(tries.some(({ status }) => status === 429)).toBe(true);
  expect((await on(undefined).get('/api/organizations/get')).status).toBe(429);
  expect((await on(key).post(`/api/${slug}/products/get`)).status).toBe(200);
});

test('without a key, an IPv6 network of 64 bits counts as one address', async () => {
  const from = (address: string) => on(undefined).post('/graphql', { query: '{ __typename }' }, { 'x-forwarded-for': address });
  const sent = await Promise.all(Array.from({ length: LIMIT + 5 }, (_, at) => from(`2001:db8:1:2:${at.toString(16)}::1`)));
  expect(statuses(sent)).toEqual({ passed: LIMIT, refused: 5 });
  expect((await from('2001:db8:1:3::1')).status).toBe(200);
});

test('without a key, an IPv4 address and its IPv6 mapping count together', async () => {
  const from = (address: string) => on(undefined).post('/graphql', { query: '{ __typename }' }, { 'x-forwarded-for': address });
  const both = ['203.0.113.7', '::ffff:203.0.113.7'];
  const sent = await Promise.all(Array.from({ length: LIMIT + 4 }, (_, at) => from(both[at % 2]!)));
  expect(statuses(sent)).toEqual({ passed: LIMIT, refused: 4 });
});

test('an operation above the cost limit counts one point, also without a key', async () => {
  const { key } = await seedOrganization();
  const query = '{ products(limit: 100) { nodes { variants { variants { id } } } } }';
  // Without a key it is refused before its cost is computed.
  const senders = [
    { sender: on(key), refusal: { status: 400, code: 'INVALID_INPUT' } },
    { sender: on(undefined), refusal: { status: 401, code: 'MISSING_KEY' } },
  ];
  for (const { sender, refusal } of senders) {
    const ask = () => sender.post('/graphql', { query }, { 'x-forwarded-for': '203.0.113.50' });
    const first = await ask();
    expect(first).toMatchObject({ status: refusal.status, body: { errors: [{ extensions: { code: refusal.code } }] } });
    const [, before] = numbersIn(first.headers);
    const [, after] = numbersIn((await ask()).headers);
    expect(after).toBe(before! - 1);
  }
});

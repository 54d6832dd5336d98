import { createHash, randomBytes } from 'node:crypto';
import { caller } from '../support/client.ts';
import type { Running } from '../support/processes.ts';
import { seedOrganization } from '../support/seed.ts';
import { browser, cookieOf, seedLink } from '../support/session.ts';
import { type GatewayProcess, startGateway, startSubgraph } from '../support/system.ts';

const origin = 'https://dashboard.example';
const SUBGRAPH_SECRET = 'known-to-the-processes-only';
let catalog: Running;
let gateway: GatewayProcess;
beforeAll(async () => {
  const shared = { SUBGRAPH_SECRET, RATE_LIMIT_PER_MINUTE: '20', LOG_LEVEL: 'info' };
  catalog = await startSubgraph('catalog', shared);
  gateway = await startGateway({ ...shared, CATALOG_URL: catalog.addresses.url!, PUBLIC_URL: `${origin}/`, TRUST_PROXY: 'true' });
});
afterAll(async () => {
  await gateway?.stop();
  await catalog?.stop();
});

/** The headers of a proxy for a client that no other test uses. */
const proxied = () => ({
  'x-forwarded-proto': 'https',
  'x-forwarded-for': `2001:db8:${randomBytes(2).toString('hex')}:${randomBytes(2).toString('hex')}::1`,
});

test('with a public URL, sessions count only on its origin, and their cookies are limited to HTTPS', async () => {
  const { owner, key, slug } = await seedOrganization();
  const { url } = gateway;
  const from = proxied();
  const api = caller(undefined, { url });
  const token = await seedLink(owner.id);
  await fetch(`${url}/auth/link/${token}`, { headers: from });
  const elsewhere = await api.post('/auth/link', { token }, { ...from, origin: new URL(url).origin });
  expect(elsewhere).toMatchObject({ status: 403, body: { error: expect.stringContaining(origin) } });
  const signedIn = await api.post('/auth/link', { token }, { ...from, origin });
  expect(signedIn.headers.get('set-cookie')).toMatch(/^__Host-session=cs_.*; Path=\/; HttpOnly; Secure; SameSite=Lax$/);

  const session = cookieOf(signedIn, '__Host-session')!;
  const cookie = `__Host-session=${session}`;
  const query = '{ me { id } }';
  expect((await api.post('/graphql', { query }, { ...from, cookie, origin })).body.data.me.id).toBe(owner.id);
  for (const wrong of [
    { cookie, origin: new URL(url).origin },
    { cookie: `session=${session}`, origin },
  ])
    expect((await api.post('/graphql', { query }, { ...from, ...wrong })).body.errors[0].extensions.code).toBe('MISSING_KEY');

  await fetch(`${url}/invitation/ci_secret`, { headers: { ...from, cookie } });
  await caller(key, { url }).get(`/api/${slug}/agents`, { ...from, cookie });
  const hash = createHash('sha256').update(session).digest('base64url');
  const logs = gateway.output() + catalog.output();
  for (const secret of [token, session, hash, 'ci_secret']) expect(logs).not.toContain(secret);
  expect(gateway.output()).toContain('/auth/link/[hidden]');
});

test('attempts to sign in are limited by address, and signed-in users by session', async () => {
  const { owner } = await seedOrganization();
  const { url } = gateway;
  const from = { ...proxied(), origin };
  const post = (token: string) => caller(undefined, { url }).post('/auth/link', { token }, from);
  const session = cookieOf(await post(await seedLink(owner.id)), '__Host-session')!;
  const guess = () => post(`cl_${'b'.repeat(43)}`);
  const answers = await Promise.all(Array.from({ length: 30 }, guess));
  const limited = answers.filter(({ status }) => status === 429);
  expect(limited.length).toBeGreaterThanOrEqual(10);
  expect(Number(limited[0]!.headers.get('retry-after'))).toBeGreaterThan(0);
  const { get } = browser('', { url, from: { ...from, cookie: `__Host-session=${session}` } });
  expect((await get('/auth/session')).status).toBe(200);
});

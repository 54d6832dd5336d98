import { createHash } from 'node:crypto';
import { caller } from '../support/client.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { seedOrganization } from '../support/seed.ts';
import { browser, cookieOf, seedLink } from '../support/session.ts';

const origin = 'https://dashboard.example';
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ PUBLIC_URL: `${origin}/`, RATE_LIMIT_PER_MINUTE: '20', LOG_LEVEL: 'info' });
}, 60_000);
afterAll(() => gateway?.stop());

test('with a public URL, sessions count only on its origin, and their cookies are limited to HTTPS', async () => {
  const { owner, key, slug } = await seedOrganization();
  const { url } = gateway;
  const api = caller(undefined, { url });
  const token = await seedLink(owner.id);
  await fetch(`${url}/auth/link/${token}`);
  const elsewhere = await api.post('/auth/link', { token }, { origin: new URL(url).origin });
  expect(elsewhere).toMatchObject({ status: 403, body: { error: expect.stringContaining(origin) } });
  const signedIn = await api.post('/auth/link', { token }, { origin });
  expect(signedIn.headers.get('set-cookie')).toMatch(/^__Host-session=cs_.*; Path=\/; HttpOnly; Secure; SameSite=Lax$/);

  const session = cookieOf(signedIn, '__Host-session')!;
  const cookie = `__Host-session=${session}`;
  const query = '{ me { id } }';
  expect((await api.post('/graphql', { query }, { cookie, origin })).body.data.me.id).toBe(owner.id);
  for (const from of [
    { cookie, origin: new URL(url).origin },
    { cookie: `session=${session}`, origin },
  ])
    expect((await api.post('/graphql', { query }, from)).body.errors[0].extensions.code).toBe('MISSING_KEY');

  await fetch(`${url}/invitation/ci_secret`, { headers: { cookie } });
  await caller(key, { url }).get(`/api/${slug}/agents`, { cookie });
  const hash = createHash('sha256').update(session).digest('base64url');
  for (const secret of [token, session, hash, 'ci_secret']) expect(gateway.output()).not.toContain(secret);
  expect(gateway.output()).toContain('/auth/link/[hidden]');
});

test('attempts to sign in are limited by address, and signed-in users by session', async () => {
  const { owner } = await seedOrganization();
  const { url } = gateway;
  const token = await seedLink(owner.id);
  const session = cookieOf(await caller(undefined, { url }).post('/auth/link', { token }, { origin }), '__Host-session')!;
  const guess = () => caller(undefined, { url }).post('/auth/link', { token: `cl_${'b'.repeat(43)}` }, { origin });
  const answers = await Promise.all(Array.from({ length: 30 }, guess));
  const limited = answers.filter(({ status }) => status === 429);
  expect(limited.length).toBeGreaterThanOrEqual(10);
  expect(Number(limited[0]!.headers.get('retry-after'))).toBeGreaterThan(0);
  const { get } = browser('', { url, from: { origin, cookie: `__Host-session=${session}` } });
  expect((await get('/auth/session')).status).toBe(200);
});

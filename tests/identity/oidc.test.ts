import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { destinationOf } from '../../server/sign-in/sign-in-routes.ts';
import { ownPath } from '../../web/shared/own-path.ts';
import { type Gateway, openGateway } from '../support/gateway.ts';
import { CLIENT, startOidcProvider } from '../support/oidc-provider.ts';
import { seedStranger } from '../support/seed.ts';
import { browser, cookieOf } from '../support/session.ts';

let provider: Awaited<ReturnType<typeof startOidcProvider>>;
let gateway: Gateway;
beforeAll(async () => {
  provider = await startOidcProvider();
  // The provider does not respond while the gateway starts.
  provider.next.isDown = true;
  gateway = await openGateway({ OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: CLIENT.id, OIDC_CLIENT_SECRET: CLIENT.secret });
});
afterAll(async () => {
  await gateway?.stop();
  await provider?.close();
});
beforeEach(() =>
  Object.assign(provider.next, {
    claims: {},
    userInfo: undefined,
    isForeignKey: false,
    isDown: false,
    error: undefined,
    account: someone(),
  }),
);

const someone = (more: object = {}) => {
  const sub = randomBytes(6).toString('hex');
  return { sub, email: `${sub}@Example.com`, email_verified: true, name: 'Grace Hopper', ...more };
};
const open = (path: string, cookie = '') => fetch(new URL(path, gateway.url), { redirect: 'manual', headers: { cookie } });

/** Start a sign-in in a browser, and let the provider sign its user in. */
async function attempt(to = '/products?sort=name') {
  const begun = await open(`/auth/oidc?to=${encodeURIComponent(to)}`);
  const cookie = `oidc=${cookieOf(begun, 'oidc')}`;
  const address = begun.headers.get('location')!;
  const back = await fetch(address, { redirect: 'manual' });
  return { begun, cookie, address: new URL(address), callback: back.headers.get('location')! };
}
const finish = ({ callback, cookie }: { callback: string; cookie: string }) => open(callback, cookie);
const refused = async (response: Response, status: number, sentence: RegExp) => {
  expect([response.status, cookieOf(response)]).toEqual([status, undefined]);
  expect(response.headers.get('content-type')).toContain('text/html');
  expect(await response.text()).toMatch(sentence);
};

test('while the provider is down, users read so, and the next attempt succeeds', async () => {
  provider.next.isDown = true;
  await refused(await open('/auth/oidc'), 503, /does not respond/);
  provider.next.isDown = false;
  expect((await open('/auth/oidc')).status).toBe(302);
  const methods = await fetch(`${gateway.url}/auth/methods`);
  expect(await methods.json()).toEqual({ oidc: { name: new URL(provider.issuer).host }, links: true });
});

test('a user with a verified e-mail address is signed in and led to the page', async () => {
  const { begun, address, ...rest } = await attempt();
  expect(begun.headers.get('set-cookie')).toMatch(/; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
  expect(Object.fromEntries(address.searchParams)).toMatchObject({ code_challenge_method: 'S256', scope: 'openid email profile' });
  const done = await finish(rest);
  expect([done.status, done.headers.get('location')]).toEqual([302, '/products?sort=name']);
  const { get } = browser(cookieOf(done)!, { url: gateway.url });
  const { email, name } = provider.next.account;
  expect((await get('/auth/session')).body.user).toEqual({ id: expect.any(String), email: email!.toLowerCase(), name });
});

test('a sign-in ends the earlier session of the browser, though the provider leads there', async () => {
  const earlier = cookieOf(await finish(await attempt()))!;
  const { callback, cookie } = await attempt();
  const headers = { cookie: `${cookie}; session=${earlier}`, 'sec-fetch-site': 'cross-site' };
  const done = await fetch(new URL(callback, gateway.url), { redirect: 'manual', headers });
  expect(done.status).toBe(302);
  expect((await browser(earlier, { url: gateway.url }).get('/auth/session')).status).toBe(401);
  expect((await browser(cookieOf(done)!, { url: gateway.url }).get('/auth/session')).status).toBe(200);
});

test('an existing user is found by the e-mail address, from the user info if the token lacks it', async () => {
  const user = await seedStranger();
  const { sub } = someone();
  Object.assign(provider.next, { account: { sub }, userInfo: { sub, email: user.email.toUpperCase(), email_verified: true } });
  const { get } = browser(cookieOf(await finish(await attempt()))!, { url: gateway.url });
  expect((await get('/auth/session')).body.user.id).toBe(user.id);
});

test.each<[string, object, RegExp]>([
  ['is not verified', { email_verified: false }, /has not verified/],
  ['is verified by a word', { email_verified: 'true' }, /has not verified/],
  ['has no statement of verification', { email_verified: undefined }, /has not verified/],
  ['is missing', { email: undefined }, /did not share/],
  ['becomes another one in lower case', { email: 'gra\u212A@example.com' }, /did not share/],
  ['is none', { email: 'ada' }, /did not share/],
])('a user whose e-mail address %s is refused', async (_, change, sentence) => {
  provider.next.account = someone(change);
  await refused(await finish(await attempt()), 403, sentence);
});

test.each<[string, Record<string, unknown>, boolean]>([
  ['another nonce', { nonce: 'other' }, false],
  ['another audience', { aud: 'other' }, false],
  ['a signature of another key', {}, true],
])('an ID token with %s is refused', async (_, claims, isForeignKey) => {
  Object.assign(provider.next, { claims, isForeignKey });
  await refused(await finish(await attempt()), 403, /Sign in again/);
});

test('a callback counts only in the browser that began, for its own attempt, and once', async () => {
  const mine = await attempt();
  const other = await attempt();
  await refused(await open(mine.callback), 403, /another browser/);
  await refused(await finish({ callback: mine.callback, cookie: other.cookie }), 403, /does not belong/);
  const forged = new URL(mine.callback);
  forged.searchParams.set('state', 'forged');
  await refused(await finish({ callback: forged.href, cookie: mine.cookie }), 403, /does not belong/);
  await refused(await finish({ callback: mine.callback, cookie: 'oidc=forged.cookie' }), 403, /another browser/);
  expect((await finish(mine)).status).toBe(302);
  await refused(await finish(mine), 403, /does not belong/);
  provider.next.error = 'access_denied';
  await refused(await finish(await attempt()), 403, /did not sign you in/);
});

test('a callback of another attempt, such as that of an earlier tab, leaves the attempt of the browser open', async () => {
  const [earlier, latest] = [await attempt(), await attempt()];
  const response = await finish({ callback: earlier.callback, cookie: latest.cookie });
  expect([response.status, cookieOf(response, 'oidc')]).toEqual([403, undefined]);
  const finished = await finish(latest);
  expect([finished.status, cookieOf(finished, 'oidc')]).toEqual([302, '']);
});

test('the cookie of an attempt is small enough for browsers, however long the destination', async () => {
  for (const to of [`/${'\u00e4'.repeat(2_000)}`, `/${'a'.repeat(2_047)}`])
    expect(cookieOf(await open(`/auth/oidc?to=${encodeURIComponent(to)}`), 'oidc')!.length).toBeLessThan(3_900);
});

test.each([
  ['/jobs/1?tab=items#log', '/jobs/1?tab=items#log'],
  ['//evil.example', '/'],
  ['/\\evil.example', '/'],
  ['/\t/evil.example', '/'],
  ['/.//evil.example', '/'],
  ['/..//evil.example', '/'],
  ['https://evil.example', '/'],
  ['javascript:alert(1)', '/'],
  ['evil', '/'],
  ['', '/'],
  [undefined, '/'],
  [['/a', '/b'], '/'],
])('the destination %j leads to %s', (to, path) => {
  expect(destinationOf(to)).toBe(path);
});

test('no address leads to another origin, however it is written', () => {
  const pieces = [
    '/',
    '\\',
    '.',
    '..',
    '%2e',
    '\t',
    '\n',
    '\r',
    '\0',
    ' ',
    '@',
    ':',
    '?',
    '#',
    'evil.example',
    'https:',
    'a',
    '\u2028',
    '%2f',
    '%5c',
  ];
  const addresses = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 8 }).map((each) => `/${each.join('')}`);
  let followed = 0;
  fc.assert(
    fc.property(addresses, fc.constantFrom('https://dashboard.example', 'http://127.0.0.1:4000'), (address, origin) => {
      const path = ownPath(address);
      if (path === undefined) return;
      followed += 1;
      expect(new URL(path, origin).origin).toBe(origin);
    }),
    {
      numRuns: 20_000,
      examples: [
        ['/.//evil.example', 'https://dashboard.example'],
        ['/a/..//evil.example', 'https://dashboard.example'],
      ],
    },
  );
  expect(followed).toBeGreaterThan(1_000);
});

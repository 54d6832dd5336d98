import { createHash } from 'node:crypto';
import { sweepSessions } from '../../platform/identity/sessions.ts';
import { caller } from '../support/client.ts';
import { duringTransaction } from '../support/rival.ts';
import { database, seedOrganization } from '../support/seed.ts';
import { browser, seedLink, signIn } from '../support/session.ts';
import { until } from '../support/until.ts';

const url = process.env.TEST_URL!;
const origin = new URL(url).origin;
const anonymous = caller(undefined);
const me = '{ me { id } }';
const hashOf = (token: string) => createHash('sha256').update(token).digest();

const seeded = seedOrganization();
const signedIn = async (role: 'admin' | 'member' = 'member') => {
  const organization = await seeded;
  const user = await organization.addMember(role);
  return { user, organization, ...(await signIn(user.id, { organization: organization.slug })) };
};
const setTimes = (token: string, times: string) =>
  database().query(`update identity.sessions set ${times} where token_hash = $1`, [hashOf(token)]);

describe('where a session counts', () => {
  const organizationOf = '{ organization { slug } me { id } }';

  test('the dashboard reads and writes the graph, and selects an organization', async () => {
    const { user, organization, graphql, get } = await signedIn();
    expect(await graphql(organizationOf)).toEqual({ organization: { slug: organization.slug }, me: { id: user.id } });
    expect((await get('/auth/session')).body).toEqual({
      user: { id: user.id, email: user.email, name: expect.any(String) },
      expiresAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    const other = await seedOrganization();
    const refused = await (await signIn(user.id, { organization: other.slug })).refusal(organizationOf);
    expect(refused).toEqual({ code: 'NO_ACCESS', message: 'You are not a member of this organization, or it does not exist.' });
  });

  test('requests of other sites, of forms and of unknown origin are not signed in', async () => {
    const { token } = await signedIn();
    const post = (from: Record<string, string>) => browser(token, { from }).post('/graphql', { query: me });
    for (const from of [{ origin: 'https://evil.example' }, { origin: 'null' }, { origin: `${origin}0` }, { origin: '' }])
      expect([from, (await post(from)).body.errors?.[0].extensions.code]).toEqual([from, 'MISSING_KEY']);
    const cookie = `session=${token}`;
    const without = await anonymous.post('/graphql', { query: me }, { cookie, 'sec-fetch-site': 'same-origin' });
    expect(without.body.errors[0].extensions.code).toBe('MISSING_KEY');
    const read = (from: Record<string, string>) =>
      anonymous.get(`/graphql?query=${encodeURIComponent(me)}`, { cookie, 'apollo-require-preflight': '1', ...from });
    expect((await read({ 'sec-fetch-site': 'same-origin' })).body.data).toMatchObject({ me: {} });
    for (const from of [{}, { 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }] as Record<string, string>[])
      expect((await read(from)).body.errors?.[0].extensions.code).toBe('MISSING_KEY');
  });

  test('a socket is signed in by a handshake of the dashboard only', async () => {
    const { token, organization, user } = await signedIn();
    const first = async (from: Record<string, string>, params?: Record<string, string>) => {
      const client = browser(token, { organization: organization.slug, from }).socket(params);
      const results = client.iterate({ query: organizationOf });
      // An operation that does not run is an error of the protocol.
      return results.next().then(
        ({ value }) => value,
        (errors) => ({ errors }),
      );
    };
    expect(await first({})).toMatchObject({ data: { organization: { slug: organization.slug }, me: { id: user.id } } });
    const foreign = await first({ origin: 'https://evil.example' });
    expect(foreign?.errors?.[0]?.extensions?.code).toBe('MISSING_KEY');
    // An API key of the connection replaces the session.
    const owner = await first({}, { 'x-api-key': organization.key });
    expect(owner).toMatchObject({ data: { me: { id: organization.owner.id } } });
  });

  test('an API key counts instead of the session', async () => {
    const { post, organization } = await signedIn();
    const keyed = await post('/graphql', { query: me }, { 'x-api-key': organization.key });
    expect(keyed.body.data.me.id).toBe(organization.owner.id);
    expect((await post('/graphql', { query: me }, { authorization: 'Bearer nonsense' })).status).toBe(401);
  });

  test('over REST, a session downloads, but changes nothing', async () => {
    const { get, post, organization, token } = await signedIn('admin');
    const path = `/api/${organization.slug}`;
    const file = `${path}/brand-enrichment-jobs/00000000-0000-7000-8000-000000000000/download`;
    expect((await get(file)).status).toBe(404);
    expect((await get(file, { 'sec-fetch-site': 'cross-site' })).status).toBe(401);
    for (const read of [`${path}/agents`, '/api/v1/me']) expect((await get(read)).status).toBe(401);
    expect((await post(`${path}/products/get`, {})).status).toBe(401);
    const site = await fetch(`${process.env.TEST_SITE_URL}/api/v1/me`, {
      headers: { cookie: `session=${token}`, 'sec-fetch-site': 'same-origin' },
    });
    expect(site.status).toBe(401);
  });

  test('callers cannot send the internal header of sessions', async () => {
    const { token, organization } = await signedIn();
    const header = { 'x-session': hashOf(token).toString('base64url') };
    expect((await anonymous.post('/graphql', { query: me }, header)).body.errors[0].extensions.code).toBe('MISSING_KEY');
    expect((await anonymous.get(`/api/${organization.slug}/agents`, header)).status).toBe(401);
    const results = browser('', { from: { cookie: 'none=1' } })
      .socket(header)
      .iterate({ query: me });
    await expect(results.next()).rejects.toMatchObject([{ extensions: { code: 'MISSING_KEY' } }]);
  });

  test.each([
    ['session='],
    ['session=%00%ff'],
    ['session="; DROP TABLE'],
    [`session=cs_${'é'.repeat(43)}`],
    [`session=${'x'.repeat(8_000)}`],
    ['='.repeat(4_000)],
    ['__proto__=1; constructor=2'],
  ])('the cookie %.40s counts as none', async (cookie) => {
    const { body } = await anonymous.post('/graphql', { query: me }, { origin, cookie: encodeURI(cookie) });
    expect(body.errors[0].extensions.code).toBe('MISSING_KEY');
  });

  test('a megabyte of cookies is rejected, and the server keeps running', async () => {
    const huge = await fetch(`${url}/auth/session`, { headers: { cookie: `session=${'x'.repeat(1_000_000)}` } }).then(
      ({ status }) => status,
      () => 431,
    );
    // A load balancer answers 400 itself.
    expect([400, 431]).toContain(huge);
    expect((await anonymous.get('/auth/methods')).body).toEqual({ oidc: null, links: true });
  });
});

describe('the end of a session', () => {
  const watch = 'subscription { jobsChanged { __typename } }';

  test('signing out ends its streams, and deletes the cookie', async () => {
    const { post, get, socket, graphql } = await signedIn();
    const ended = new Promise<unknown>((resolve) => {
      const next = ({ errors }: { errors?: readonly unknown[] }) => errors && resolve(errors);
      socket().subscribe({ query: watch }, { next, error: resolve, complete: () => resolve('complete') });
    });
    await graphql(me);
    const out = await post('/auth/sign-out');
    expect([out.status, out.headers.get('set-cookie')]).toEqual([204, expect.stringMatching(/^session=; Max-Age=0;/)]);
    expect(JSON.stringify(await ended)).toContain('INVALID_KEY');
    expect((await get('/auth/session')).status).toBe(401);
    const { status, body } = await post('/graphql', { query: me });
    expect([status, body.errors[0].message]).toEqual([401, 'The session has ended. Sign in again.']);
    expect((await post('/auth/sign-out')).status).toBe(204);
  });

  test('another site cannot sign a user out', async () => {
    const { post, get } = await signedIn();
    expect((await post('/auth/sign-out', undefined, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await get('/auth/session')).status).toBe(200);
  });

  test('a user lists and ends their sessions, and no others', async () => {
    const { user, graphql, refusal } = await signedIn();
    const laptop = await signIn(user.id);
    const phone = await signIn(user.id);
    const { sessions } = await graphql('{ sessions { id device isCurrent createdAt lastUsedAt expiresAt } }');
    expect(sessions).toHaveLength(3);
    expect(sessions.filter((each: { isCurrent: boolean }) => each.isCurrent)).toHaveLength(1);
    const foreign = (await (await signedIn()).graphql('{ sessions { id } }')).sessions[0].id;
    const end = 'mutation ($id: ID!) { endSession(id: $id) { deleted } }';
    for (const id of [foreign, 'nonsense']) expect((await refusal(end, { id })).code).toBe('NOT_FOUND');
    const { id } = (await laptop.graphql('{ sessions { id isCurrent } }')).sessions.find(
      (each: { isCurrent: boolean }) => each.isCurrent,
    );
    expect(await graphql(end, { id })).toEqual({ endSession: { deleted: true } });
    expect((await laptop.get('/auth/session')).status).toBe(401);
    expect(await graphql('mutation { endOtherSessions }')).toEqual({ endOtherSessions: 1 });
    expect((await phone.get('/auth/session')).status).toBe(401);
    expect((await graphql('{ sessions { id } }')).sessions).toHaveLength(1);
  });

  test('an admin signs members out, but no owners and nobody of another organization', async () => {
    const { organization, refusal, graphql } = await signedIn('admin');
    const member = await signedIn();
    const end = 'mutation ($userId: ID!) { endMemberSessions(userId: $userId) }';
    expect((await member.refusal(end, { userId: organization.owner.id })).code).toBe('FORBIDDEN');
    expect((await refusal(end, { userId: organization.owner.id })).code).toBe('FORBIDDEN');
    expect((await refusal(end, { userId: (await seedOrganization()).owner.id })).code).toBe('NOT_FOUND');
    expect(await graphql(end, { userId: member.user.id })).toEqual({ endMemberSessions: 1 });
    expect((await member.get('/auth/session')).status).toBe(401);
  });

  test('an admin cannot sign out a member of another organization, who can', async () => {
    const { graphql, refusal } = await signedIn('admin');
    const member = await signedIn();
    await (await seedOrganization()).join(member.user.id, 'member');
    const end = 'mutation ($userId: ID!) { endMemberSessions(userId: $userId) }';
    expect((await refusal(end, { userId: member.user.id })).code).toBe('FORBIDDEN');
    expect((await member.get('/auth/session')).status).toBe(200);
    expect(await member.graphql('mutation { endOtherSessions }')).toEqual({ endOtherSessions: 0 });
    expect(await graphql(me)).toMatchObject({ me: {} });
  });

  test('open sign-in links end with the sessions', async () => {
    const { graphql } = await signedIn('admin');
    const member = await signedIn();
    const use = async (token: string) => (await anonymous.post('/auth/link', { token }, { origin })).status;
    const first = await seedLink(member.user.id);
    await member.graphql('mutation { endOtherSessions }');
    expect(await use(first)).toBe(410);
    const second = await seedLink(member.user.id);
    await graphql('mutation ($userId: ID!) { endMemberSessions(userId: $userId) }', { userId: member.user.id });
    expect(await use(second)).toBe(410);
  });

  test('a removed member keeps the session without access', async () => {
    const { user, organization, post, get } = await signedIn();
    const removal = 'mutation ($id: ID!) { removeMember(userId: $id) { deleted } }';
    await caller(organization.key).graphql(removal, { id: user.id });
    expect((await post('/graphql', { query: '{ organization { id } }' })).body.errors[0].extensions.code).toBe('NO_ACCESS');
    expect((await get('/auth/session')).status).toBe(200);
  });

  test.each([
    ['14 idle days', "last_used_at = now() - interval '14 days 1 second'"],
    ['90 days', "created_at = now() - interval '90 days 1 second'"],
  ])('a session ends after %s, and stays ended', async (_, times) => {
    const { token, get } = await signedIn();
    await setTimes(token, times);
    for (let attempt = 0; attempt < 2; attempt += 1) expect((await get('/auth/session')).status).toBe(401);
    await browser(token).post('/graphql', { query: me });
    expect((await get('/auth/session')).status).toBe(401);
  });

  test('the last use is recorded at most once a minute', async () => {
    const { token, graphql } = await signedIn();
    const read = async () => {
      const text =
        "select last_used_at as at, now() - last_used_at < interval '1 minute' as recent from identity.sessions where token_hash = $1";
      return (await database().query(text, [hashOf(token)])).rows[0];
    };
    const { at } = await read();
    await graphql(me);
    expect((await read()).at).toEqual(at);
    await setTimes(token, "last_used_at = now() - interval '2 minutes'");
    // The cached session counts as used recently, until an unrelated change empties the cache.
    await until(async () => {
      await graphql(me);
      await signedIn();
      return (await read()).recent;
    });
  });

  test('a session that is used while ended sessions are deleted stays', async () => {
    const { token, get } = await signedIn();
    await setTimes(token, "last_used_at = now() - interval '14 days 1 second'");
    const use = 'update identity.sessions set last_used_at = now() where token_hash = $1';
    await duringTransaction(
      (rival) => rival.query(use, [hashOf(token)]),
      () => sweepSessions(database()),
    );
    expect((await get('/auth/session')).status).toBe(200);
  });
});

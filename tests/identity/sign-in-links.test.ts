import { createHash } from 'node:crypto';
import { caller } from '../support/client.ts';
import { duringTransaction } from '../support/rival.ts';
import { database, seedStranger } from '../support/seed.ts';
import { browser, cookieOf, seedLink, signIn } from '../support/session.ts';

const url = process.env.TEST_URL!;
const origin = new URL(url).origin;
const anonymous = caller(undefined);
const me = '{ me { id } }';

const hashOf = (token: string) => createHash('sha256').update(token).digest();
const END = 'delete from identity.sessions where token_hash = $1';

/** Fill the sessions of a user, all used after an existing one. */
const fillSessions = (userId: string) =>
  database().query(
    `insert into identity.sessions (id, user_id, token_hash, device)
     select gen_random_uuid(), $1, sha256(gen_random_uuid()::text::bytea), 'Firefox' from generate_series(1, 49)`,
    [userId],
  );

describe('sign-in links', () => {
  test('a link signs its user in once, and opening it does not use it', async () => {
    const user = await seedStranger();
    const token = await seedLink(user.id);
    for (const method of ['GET', 'HEAD']) {
      const opened = await fetch(`${url}/auth/link/${token}`, { method, headers: { accept: 'text/html' } });
      expect([opened.headers.get('set-cookie'), opened.headers.get('referrer-policy')]).toEqual([null, 'no-referrer']);
    }
    const used = await anonymous.post('/auth/link', { token }, { origin });
    expect(used).toMatchObject({ status: 200, body: { user: { id: user.id, email: user.email } } });
    expect(used.headers.get('set-cookie')).toMatch(/^session=cs_[\w-]{43}; Max-Age=7776000; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(await browser(cookieOf(used)!).graphql(me)).toEqual({ me: { id: user.id } });
    const again = await anonymous.post('/auth/link', { token }, { origin });
    expect(again).toMatchObject({ status: 410, body: { error: expect.stringMatching(/used already.*new one/) } });
  });

  test('of concurrent attempts with one link, one succeeds', async () => {
    const token = await seedLink((await seedStranger()).id);
    const answers = await Promise.all(Array.from({ length: 8 }, () => anonymous.post('/auth/link', { token }, { origin })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(410)]);
  });

  test('a sign-in that replaces a session which another sign-in of the user ends succeeds', async () => {
    const { id } = await seedStranger();
    const device = await signIn(id);
    const token = await seedLink(id);
    const { status } = await duringTransaction(
      (rival) => rival.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`sessions of ${id}`]),
      () => device.post('/auth/link', { token }),
      (rival) => rival.query('delete from identity.sessions where user_id = $1', [id]),
    );
    expect(status).toBe(200);
  });

  test('a sign-in at the limit of sessions ends another session than one that is used at the same time', async () => {
    const { id } = await seedStranger();
    const oldest = await signIn(id);
    await fillSessions(id);
    await duringTransaction(
      (use) => use.query('update identity.sessions set last_used_at = now() where token_hash = $1', [hashOf(oldest.token)]),
      () => signIn(id),
    );
    expect((await oldest.get('/auth/session')).status).toBe(200);
    const { rows } = await database().query('select count(*)::int as count from identity.sessions where user_id = $1', [id]);
    expect(rows).toEqual([{ count: 50 }]);
  });

  test('two users at the limit of sessions who sign in, each in place of the other, succeed', async () => {
    const [first, second] = [await seedStranger(), await seedStranger()];
    const [ofFirst, ofSecond] = [await signIn(first.id), await signIn(second.id)];
    await fillSessions(first.id);
    const token = await seedLink(first.id);
    const { status } = await duringTransaction(
      (rival) => rival.query(END, [hashOf(ofFirst.token)]),
      () => ofSecond.post('/auth/link', { token }),
      (rival) => rival.query(END, [hashOf(ofSecond.token)]),
    );
    expect(status).toBe(200);
  });

  test.each([
    [{ token: `cl_${'a'.repeat(43)}` }, 401],
    [{ token: 'x'.repeat(2_000) }, 400],
    [{ token: 5 }, 400],
    [[], 400],
    ['not JSON', 400],
    ['x'.repeat(10_000), 413],
  ])('the body %j is rejected with %i', async (body, status) => {
    const answer = await anonymous.post('/auth/link', body, { origin });
    expect(answer).toMatchObject({ status, body: { error: expect.any(String) } });
    expect(answer.headers.get('set-cookie')).toBeNull();
  });

  test('an expired link is rejected, and so is one that another site or a form posts', async () => {
    const { id } = await seedStranger();
    expect((await anonymous.post('/auth/link', { token: await seedLink(id, { minutes: -1 }) }, { origin })).status).toBe(410);
    const token = await seedLink(id);
    for (const from of [{ origin: 'https://evil.example' }, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }] as Record<
      string,
      string
    >[])
      expect((await anonymous.post('/auth/link', { token }, from)).status).toBe(403);
    const form = { method: 'POST', headers: { origin, 'content-type': 'text/plain' }, body: JSON.stringify({ token }) };
    expect((await fetch(`${url}/auth/link`, form)).status).toBe(415);
    expect((await anonymous.post('/auth/link', { token }, { origin })).status).toBe(200);
  });

  test('a sign-in never takes over a session that the browser sent', async () => {
    const first = await signIn((await seedStranger()).id);
    const user = await seedStranger();
    const second = await first.post('/auth/link', { token: await seedLink(user.id) });
    expect(cookieOf(second)).not.toBe(first.token);
    expect((await first.get('/auth/session')).status).toBe(401);
    expect((await browser(cookieOf(second)!).get('/auth/session')).body.user.id).toBe(user.id);
    const planted = `cs_${'A'.repeat(43)}`;
    const third = await browser(planted).post('/auth/link', { token: await seedLink(user.id) });
    expect(cookieOf(third)).toMatch(/^cs_/);
    expect((await browser(planted).get('/auth/session')).status).toBe(401);
  });
});

import { createServer } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { networkOf } from '../../schema/request.ts';
import { agent as parts } from '../../subgraphs/agent/agent.ts';
import { agentTables } from '../../subgraphs/agent/tables.ts';
import { listen } from '../support/listen.ts';
import { DASHBOARD, openSubgraph } from '../support/subgraph.ts';

const graph = await openSubgraph(parts, agentTables, { allowHosts: ['127.0.0.1'] });
afterAll(() => graph.close());

async function seedSite() {
  const organization = await graph.seed({ modules: ['helpdesk'], plan: 'growth' });
  const admin = graph.caller(organization.key);
  const { createAgent: agent } = await admin.ask('mutation { createAgent(input: { name: "Zoe" }) { id publicSlug } }');
  const rotate = async (purpose = 'identity', force = false) =>
    (
      await admin.ask(
        'mutation ($id: ID!, $purpose: SigningPurpose!, $force: Boolean!) { made: rotateSigningSecret(agentId: $id, purpose: $purpose, force: $force) { secret previousExpiresAt } }',
        { id: agent.id, purpose, force },
      )
    ).made as { secret: string; previousExpiresAt: string | null };
  const visitor = (token?: string) =>
    graph.caller(undefined, { origin: DASHBOARD, 'x-client-address': '10.0.0.1', ...(token && { 'x-identity-token': token }) });
  return { ...organization, admin, agent: agent as { id: string; publicSlug: string }, rotate, visitor };
}
type Site = Awaited<ReturnType<typeof seedSite>>;

const site = await seedSite();
const { secret } = await site.rotate();

const sign = (claims: object, { key = secret, exp = '1h' }: { key?: string; exp?: string | number } = {}) =>
  new SignJWT({ ...claims }).setProtectedHeader({ alg: 'HS256' }).setExpirationTime(exp).sign(new TextEncoder().encode(key));

const IDENTITY = 'query ($slug: String!) { widgetIdentity(publicSlug: $slug) { status error subject name email expiresAt } }';
const identityOf = async (token: string | undefined, { agent, visitor }: Site = site) =>
  (await visitor(token).ask(IDENTITY, { slug: agent.publicSlug })).widgetIdentity;

const HANDOFF = `mutation ($slug: String!, $visitorId: String, $id: ID) {
  requestHandoff(publicSlug: $slug, visitorId: $visitorId, conversationId: $id) { conversationId visitorId }
}`;
/** Begin a conversation, or continue the one of this id. */
const begin = async (token: string | undefined, visitorId?: string, id?: string) =>
  (await site.visitor(token).ask(HANDOFF, { slug: site.agent.publicSlug, visitorId, id })).requestHandoff as {
    conversationId: string;
    visitorId: string;
  };
const READ =
  'query ($slug: String!, $visitorId: String, $id: ID!) { widgetConversation(publicSlug: $slug, visitorId: $visitorId, conversationId: $id) { id } }';
const read = (token: string | undefined, visitorId: string, id: string) =>
  site.visitor(token).refusal(READ, { slug: site.agent.publicSlug, visitorId, id });
const CONVERSATION = 'query ($id: ID!) { conversation(id: $id) { visitorId verified contact { id email name verified } } }';
const conversationOf = async (id: string) => (await site.admin.ask(CONVERSATION, { id })).conversation;

const [BROWSER, PHONE, STRANGER] = [
  '6f3e6f0e-3a53-4a5e-9b1e-0d2f3c4b5a61',
  '6f3e6f0e-3a53-4a5e-9b1e-0d2f3c4b5a62',
  '6f3e6f0e-3a53-4a5e-9b1e-0d2f3c4b5a63',
];

describe('tokens', () => {
  test('a signed token names the visitor', async () => {
    expect(await identityOf(await sign({ sub: 'c-1', email: 'Ada@example.com', name: 'Ada' }))).toEqual({
      status: 'verified',
      error: null,
      subject: 'c-1',
      name: 'Ada',
      email: 'Ada@example.com',
      expiresAt: expect.any(String),
    });
    expect(await identityOf(undefined)).toMatchObject({ status: 'none', error: null });
  });

  test('further claims have any name', async () => {
    const token = await sign({ sub: 'c-1', status: 'gold', error: 'none', subject: 'c-2', claims: {} });
    expect(await identityOf(token)).toMatchObject({ status: 'verified', error: null, subject: 'c-1' });
  });

  const now = () => Math.floor(Date.now() / 1_000);
  const unsigned = () => new UnsecuredJWT({ sub: 'c-1' }).setExpirationTime('1h').encode();
  test.each<[string, () => Promise<string> | string, string, RegExp]>([
    ['an expired token', () => sign({ sub: 'c-1' }, { exp: now() - 120 }), 'expired', /has expired/],
    ['a token without a signature', unsigned, 'invalid', /must be HS256, RS256 or ES256/],
    [
      'a token that another secret signed',
      () => sign({ sub: 'c-1' }, { key: 'whsec_other' }),
      'invalid',
      /does not fit the secret/,
    ],
    ['text that is no token', () => 'abc', 'invalid', /no valid JSON Web Token/],
    ['a token for two days', () => sign({ sub: 'c-1' }, { exp: '2d' }), 'invalid', /within 24 hours/],
    ['a token without a subject', () => sign({}), 'invalid', /claim sub/],
    ['a token with an empty subject', () => sign({ sub: '' }), 'invalid', /claim sub/],
    ['a subject with a line break', () => sign({ sub: 'a\nx-admin: 1' }), 'invalid', /visible ASCII/],
    ['an address that is none', () => sign({ sub: 'c-1', email: 'x' }), 'invalid', /claim email/],
    ['a token for another audience', () => sign({ sub: 'c-1', aud: 'shop' }), 'invalid', /another audience/],
    ['huge claims', () => sign({ sub: 'c-1', much: 'x'.repeat(9_000) }), 'invalid', /at most 8000 characters/],
  ])('%s leaves the visitor a stranger, with the reason', async (_, token, status, error) => {
    expect(await identityOf(await token())).toMatchObject({ status, error: expect.stringMatching(error), subject: null });
  });

  test('the secret of another agent does not sign', async () => {
    const other = await seedSite();
    const { secret: key } = await other.rotate();
    const token = await sign({ sub: 'c-1' }, { key });
    expect(await identityOf(token)).toMatchObject({ status: 'invalid' });
    expect(await identityOf(token, other)).toMatchObject({ status: 'verified' });
  });

  test('after a rotation, both secrets sign for a day, and a deleted one does not', async () => {
    const other = await seedSite();
    const first = await other.rotate();
    expect(first.previousExpiresAt).toBeNull();
    const second = await other.rotate();
    expect(second.previousExpiresAt).not.toBeNull();
    for (const { secret: key } of [first, second])
      expect(await identityOf(await sign({ sub: 'c-1' }, { key }), other)).toMatchObject({ status: 'verified' });
    const { id } = other.agent;
    expect(
      await other.admin.refusal(
        'mutation ($id: ID!) { rotateSigningSecret(agentId: $id, purpose: identity, force: false) { secret } }',
        { id },
      ),
    ).toMatch(/^CONFLICT: The previous secret is valid until/);
    await other.rotate('identity', true);
    expect(await identityOf(await sign({ sub: 'c-1' }, { key: first.secret }), other)).toMatchObject({ status: 'invalid' });
    await other.admin.ask('mutation ($id: ID!) { deleteSigningSecret(agentId: $id, purpose: identity) { deleted } }', { id });
    expect(await identityOf(await sign({ sub: 'c-1' }, { key: second.secret }), other)).toMatchObject({
      error: expect.stringMatching(/no secret/),
    });
  });

  test('keys at a URL of the site sign tokens for this agent only, also after they were replaced', async () => {
    const pairs = await Promise.all(['RS256', 'ES256'].map((alg) => generateKeyPair(alg, { extractable: true })));
    let shown = pairs.slice(0, 1);
    const server = createServer(async (_, response) => {
      const keys = await Promise.all(
        shown.map(async ({ publicKey }) => ({ ...(await exportJWK(publicKey)), kid: publicKey.algorithm?.name })),
      );
      response.end(JSON.stringify({ keys }));
    });
    const port = await listen(server);
    try {
      const other = await seedSite();
      const { id, publicSlug } = other.agent;
      const change = (url: string | null) =>
        other.admin.ask(
          'mutation ($id: ID!, $url: String) { updateAgent(id: $id, input: { identityKeysUrl: $url }) { identityKeysUrl } }',
          { id, url },
        );
      await change(`http://127.0.0.1:${port}/keys`);
      const signed = (place: number, alg: string, aud?: string) => {
        const token = new SignJWT({ sub: 'c-1' }).setProtectedHeader({ alg }).setExpirationTime('1h');
        return (aud ? token.setAudience(aud) : token).sign(pairs[place]!.privateKey);
      };
      expect(await identityOf(await signed(0, 'RS256', publicSlug), other)).toMatchObject({ status: 'verified' });
      expect(await identityOf(await signed(0, 'RS256'), other)).toMatchObject({ error: expect.stringMatching(/claim aud/) });
      expect(await identityOf(await signed(0, 'RS256', 'shop'), other)).toMatchObject({
        error: expect.stringMatching(/claim aud/),
      });
      // A public key must not serve as the secret of HS256.
      const publicKey = JSON.stringify(await exportJWK(pairs[0]!.publicKey));
      expect(await identityOf(await sign({ sub: 'c-1', aud: publicSlug }, { key: publicKey }), other)).toMatchObject({
        status: 'invalid',
      });
      shown = pairs.slice(1);
      await change(`http://127.0.0.1:${port}/other-keys`);
      expect(await identityOf(await signed(1, 'ES256', publicSlug), other)).toMatchObject({ status: 'verified' });
      expect(await identityOf(await signed(0, 'RS256', publicSlug), other)).toMatchObject({ status: 'invalid' });
      await change('http://127.0.0.1:1/keys');
      expect(await identityOf(await signed(1, 'ES256', publicSlug), other)).toMatchObject({ status: 'unavailable' });
    } finally {
      server.close();
    }
  });

  test('keys that cannot be used or read sign nobody in, and a failed read keeps the keys of the one before', async () => {
    const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
    const good = { ...(await exportJWK(publicKey)), kid: 'good' };
    let [keys, status, reads]: [unknown[], number, number] = [[], 200, 0];
    const server = createServer((_, response) => {
      reads += 1;
      response.writeHead(status).end(JSON.stringify({ keys }));
    });
    const port = await listen(server);
    const { now } = performance;
    const wait = (milliseconds: number) => {
      const before = performance.now;
      performance.now = () => before.call(performance) + milliseconds;
    };
    try {
      const other = await seedSite();
      const { id, publicSlug } = other.agent;
      const change = (url: string) =>
        [
          'mutation ($id: ID!, $url: String) { updateAgent(id: $id, input: { identityKeysUrl: $url }) { identityKeysUrl } }',
          { id, url },
        ] as const;
      for (const url of ['http://shop.example/keys', 'ftp://127.0.0.1/keys'])
        expect(await other.admin.refusal(...change(url))).toBe(
          'INVALID_INPUT: identityKeysUrl must be an https URL, or http on this machine',
        );
      const token = async (kid: string) =>
        new SignJWT({ sub: 'c-1' })
          .setProtectedHeader({ alg: 'RS256', kid })
          .setExpirationTime('10h')
          .setAudience(publicSlug)
          .sign(privateKey);
      const malformed = [
        { ...good, n: '!' },
        { kty: 'RSA', kid: 'good' },
        { ...good, n: 'AQAB' },
        { ...good, e: 7 },
      ];
      for (const [place, key] of malformed.entries()) {
        keys = [key];
        await other.admin.ask(...change(`http://127.0.0.1:${port}/${place}`));
        expect(await identityOf(await token('good'), other)).toMatchObject({
          status: expect.stringMatching(/^(invalid|unavailable)$/),
          subject: null,
        });
      }
      // A flood of tokens causes one read, also when it fails.
      await other.admin.ask(...change(`http://127.0.0.1:${port}/keys`));
      [keys, status, reads] = [[good], 500, 0];
      const flood = await Promise.all(Array.from({ length: 20 }, async () => identityOf(await token('good'), other)));
      expect(flood.every(({ error }) => error === 'The URL of keys answered with status 500.')).toBe(true);
      expect(reads).toBe(1);
      status = 200;
      expect(await identityOf(await token('good'), other)).toMatchObject({ status: 'unavailable' });
      wait(31_000);
      expect(await identityOf(await token('good'), other)).toMatchObject({ status: 'verified' });
      expect(reads).toBe(2);
      status = 500;
      for (const milliseconds of [31_000, 11 * 60_000]) {
        wait(milliseconds);
        for (const kid of ['unknown', 'unknown', 'unknown'])
          expect(await identityOf(await token(kid), other)).toMatchObject({
            status: 'invalid',
            error: expect.stringMatching(/No key/),
          });
        expect(await identityOf(await token('good'), other)).toMatchObject({ status: 'verified' });
      }
      expect(reads).toBe(4);
    } finally {
      performance.now = now;
      server.close();
    }
  });

  test('a flood of tokens of one address is refused', async () => {
    const address = '192.0.2.7';
    await graph.services.chatLimits.identity.count(networkOf(address), 600);
    const flooding = graph.caller(undefined, {
      origin: DASHBOARD,
      'x-client-address': address,
      'x-identity-token': await sign({ sub: 'c-1' }, { key: 'whsec_other' }),
    });
    const slug = site.agent.publicSlug;
    expect(await flooding.refusal(IDENTITY, { slug })).toMatch(/^RATE_LIMITED: Too many identity tokens/);
    expect(await flooding.refusal(HANDOFF, { slug, visitorId: STRANGER })).toMatch(/^RATE_LIMITED: Too many identity tokens/);
  });
});

describe('conversations', () => {
  test('those of the browser before the sign-in become those of the person, and only those', async () => {
    const before = await begin(undefined, BROWSER);
    const foreign = await begin(undefined, STRANGER);
    expect(await conversationOf(before.conversationId)).toMatchObject({ verified: false, contact: null });
    const token = await sign({ sub: 'c-join', email: 'join@example.com', name: 'Jo' });
    const after = await begin(token, BROWSER);
    expect(after).toEqual({ conversationId: before.conversationId, visitorId: BROWSER });
    expect(await conversationOf(before.conversationId)).toMatchObject({
      verified: true,
      contact: { email: 'join@example.com', name: 'Jo', verified: true },
    });
    expect(await conversationOf(foreign.conversationId)).toMatchObject({ verified: false, contact: null });
  });

  test('a handoff token from before the sign-in is revoked: its stream ends, and nobody reads or writes with it', async () => {
    const browser = '6f3e6f0e-3a53-4a5e-9b1e-0d2f3c4b5a74';
    const { conversationId } = await begin(undefined, browser);
    const MINT =
      'query ($slug: String!, $visitorId: String, $id: ID) { handoffToken(publicSlug: $slug, visitorId: $visitorId, conversationId: $id) { token } }';
    const holder = async (identity?: string) => {
      const slug = site.agent.publicSlug;
      const { token } = (await site.visitor(identity).ask(MINT, { slug, visitorId: browser, id: conversationId })).handoffToken;
      return graph.caller(undefined, { 'x-client-address': '10.0.0.1', 'x-handoff-token': token });
    };
    const stranger = await holder();
    const EVENTS = 'subscription { visitorHandoffEvents(after: 0) { type status operatorName message { text } } }';
    const stream = stranger.follow(EVENTS);
    const TAKE_OVER = 'mutation ($id: ID!) { takeOverConversation(conversationId: $id) { id operatorName } }';
    const { id, operatorName } = (await site.admin.ask(TAKE_OVER, { id: conversationId })).takeOverConversation;

    const person = await holder(await sign({ sub: 'c-token' }));
    const SAY = 'mutation ($id: ID!, $text: String!) { sendOperatorMessage(id: $id, text: $text) { id } }';
    await site.admin.ask(SAY, { id, text: 'only for the person' });
    expect(JSON.stringify(await stream)).not.toContain('only for the person');
    const WRITE = 'mutation { sendVisitorMessage(text: "hello") { id } }';
    for (const operation of [WRITE, 'mutation { endHandoff }', 'mutation { setVisitorTyping }'])
      expect(await stranger.refusal(operation)).toMatch(/^INVALID_KEY/);
    await expect(stranger.follow(EVENTS)).rejects.toThrow('INVALID_KEY');

    await person.ask(WRITE);
    const read = person.follow(EVENTS);
    await person.ask('mutation { endHandoff }');
    const events = (await read).map(({ visitorHandoffEvents: event }) => event);
    // The person misses nothing, and the sign-in changes neither the status nor the operator.
    expect(events.map(({ status, message }) => message?.text ?? status)).toEqual([
      ...['waiting', 'active', 'active', 'only for the person', 'hello', 'closed'],
    ]);
    expect(events[2]).toMatchObject({ type: 'status', operatorName });
  });

  test('a person has one contact on all devices, and keeps it when the address changes', async () => {
    const first = await begin(await sign({ sub: 'c-two', email: 'old@example.com' }), BROWSER);
    const second = await begin(await sign({ sub: 'c-two', email: 'new@example.com', name: 'Two' }), PHONE);
    const [{ contact: a }, { contact: b }] = [
      await conversationOf(first.conversationId),
      await conversationOf(second.conversationId),
    ];
    expect(a).toEqual(b);
    expect(b).toMatchObject({ email: 'new@example.com', name: 'Two', verified: true });
  });

  test('without the token, with an expired one, and as another person nobody reads them', async () => {
    const token = await sign({ sub: 'c-own' });
    const own = '6f3e6f0e-3a53-4a5e-9b1e-0d2f3c4b5a70';
    const { conversationId } = await begin(token, own);
    expect(await read(token, own, conversationId)).toBeUndefined();
    const expired = await sign({ sub: 'c-own' }, { exp: Math.floor(Date.now() / 1_000) - 120 });
    for (const stranger of [undefined, expired, await sign({ sub: 'c-else' })])
      expect(await read(stranger, own, conversationId)).toBe('NOT_FOUND: Conversation not found');
    const { visitorId } = await conversationOf(conversationId);
    for (const guessed of [visitorId, visitorId.slice('verified:'.length)])
      expect(await read(undefined, guessed, conversationId)).toMatch(/^(NOT_FOUND|INVALID_INPUT)/);
  });

  test('an address that a visitor types neither finds the verified contact nor replaces it', async () => {
    const own = '6f3e6f0e-3a53-4a5e-9b1e-0d2f3c4b5a71';
    const token = await sign({ sub: 'c-typed', email: 'typed@example.com' });
    const { conversationId } = await begin(token, own);
    const { contact } = await conversationOf(conversationId);
    const LEAD = `mutation ($slug: String!, $visitorId: String, $id: ID, $email: String) {
      submitWidgetContact(publicSlug: $slug, visitorId: $visitorId, conversationId: $id, email: $email) { id }
    }`;
    const slug = site.agent.publicSlug;
    await site.visitor(undefined).ask(LEAD, { slug, visitorId: STRANGER, email: 'typed@example.com' });
    await site.visitor(token).ask(LEAD, { slug, visitorId: own, id: conversationId, email: 'somebody@example.com' });
    expect((await conversationOf(conversationId)).contact).toEqual(contact);
    const { leads } = await site.admin.ask('{ leads { email contactId } }');
    const contactOf = (email: string) => leads.find((lead: { email: string }) => lead.email === email).contactId;
    expect(contactOf('typed@example.com')).not.toBe(contact.id);
    expect(contactOf('somebody@example.com')).toBe(contact.id);
  });

  test('ten first requests of a person at once make one contact', async () => {
    const token = await sign({ sub: 'c-many', email: 'many@example.com' });
    await Promise.all(Array.from({ length: 10 }, () => begin(token)));
    const { contacts } = await site.admin.ask('{ contacts(email: "many@example.com") { nodes { id verified } } }');
    expect(contacts.nodes).toEqual([{ id: expect.any(String), verified: true }]);
  });

  test('a person whose contact was erased returns as a new one', async () => {
    const token = await sign({ sub: 'c-erased', email: 'erased@example.com' });
    const { conversationId } = await begin(token, '6f3e6f0e-3a53-4a5e-9b1e-0d2f3c4b5a72');
    const { contact } = await conversationOf(conversationId);
    await site.admin.ask('mutation ($id: ID!) { eraseContact(id: $id) { id } }', { id: contact.id });
    const again = await begin(token, '6f3e6f0e-3a53-4a5e-9b1e-0d2f3c4b5a73');
    expect((await conversationOf(again.conversationId)).contact.id).not.toBe(contact.id);
  });
});

test('only a signed-in visitor goes on with the newest open conversation of the last 30 days', async () => {
  const [token, other] = [await sign({ sub: 'goes-on' }), await sign({ sub: 'goes-on-2' })];
  const newest = async (given: string | undefined, visitorId: string) => {
    const query =
      'query ($slug: String!, $visitorId: String) { widgetNewestConversation(publicSlug: $slug, visitorId: $visitorId) { conversationId } }';
    return (await site.visitor(given).ask(query, { slug: site.agent.publicSlug, visitorId })).widgetNewestConversation
      .conversationId;
  };
  expect(await newest(token, BROWSER)).toBeNull();
  const { conversationId } = await begin(token, BROWSER);
  expect([await newest(token, BROWSER), await newest(token, PHONE)]).toEqual([conversationId, conversationId]);
  const forged = await sign({ sub: 'goes-on' }, { key: 'whsec_other' });
  const expired = await sign({ sub: 'goes-on' }, { exp: 1_000 });
  for (const given of [undefined, forged, expired, other]) expect(await newest(given, BROWSER)).toBeNull();
  const { pool } = graph.services;
  await pool.query(`update agent.conversations set last_message_at = now() - interval '31 days' where id = $1`, [conversationId]);
  expect(await newest(token, BROWSER)).toBeNull();
  await pool.query(`update agent.conversations set last_message_at = now(), status = 'closed' where id = $1`, [conversationId]);
  expect(await newest(token, BROWSER)).toBeNull();
});

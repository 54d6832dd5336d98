import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import type { Plugin } from 'compiled-gateway/serve';
import { createClient, handleProtocols } from 'graphql-ws';
import { decodeJwt, exportJWK, generateKeyPair, type JWTPayload, jwtVerify, SignJWT, UnsecuredJWT } from 'jose';
import { WebSocket, WebSocketServer } from 'ws';
import { listen } from '../../support/listen.ts';
import { readUntil } from '../../support/until.ts';
import { subgraph } from '../support/federation.ts';
import { type ServedSubgraph, served, stack, subgraphsOf } from './served.ts';

const account = subgraph(
  'account',
  `type Query { open: Int  me: String @authenticated  salary: Int @requiresScopes(scopes: [["read:salary"]]) }
   type Mutation { pay: Int }
   type Subscription { ticks: Int @authenticated }`,
  {
    Query: { open: () => 1, me: () => 'Ada', salary: () => 9 },
    Mutation: { pay: () => 1 },
    Subscription: {
      ticks: {
        subscribe: async function* () {
          yield { ticks: 1 };
          await new Promise((resolve) => setTimeout(resolve, 20_000).unref());
        },
      },
    },
  },
);

async function listening(listener: RequestListener) {
  const server = createServer(listener);
  const port = await listen(server);
  stack.defer(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${port}`;
}

const issuer = 'https://login.example';
const audience = 'shop';
let keys: Awaited<ReturnType<typeof generateKeyPair>>;
let folder: string;
let source: string;
let servers: Record<string, ServedSubgraph>;
let jwksAddress: string;
let jwksRequests = 0;

beforeAll(async () => {
  keys = await generateKeyPair('ES256', { extractable: true });
  folder = await mkdtemp(join(tmpdir(), 'protection-'));
  stack.defer(() => rm(folder, { recursive: true }));
  const composed = await subgraphsOf([account]);
  servers = composed.servers;
  source = join(folder, 'supergraph.graphql');
  await writeFile(source, composed.supergraph);
  const jwks = JSON.stringify({ keys: [{ ...(await exportJWK(keys.publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }] });
  jwksAddress = await listening((_request, response) => {
    jwksRequests += 1;
    response.setHeader('content-type', 'application/json').end(jwks);
  });
});

const tokenOf = (claims: JWTPayload, { expires = '1h', kid = 'k1', key = keys.privateKey, iss = issuer } = {}) =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', kid })
    .setIssuer(iss)
    .setAudience(audience)
    .setIssuedAt()
    .setExpirationTime(expires)
    .sign(key);
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const jwt = () => ({ issuers: [{ jwks: jwksAddress, issuer, audience }] });

describe('tokens', () => {
  let front: Awaited<ReturnType<typeof served>>;
  beforeAll(async () => {
    front = await served({
      supergraph: { source },
      jwt: { ...jwt(), sign: { header: 'x-claims', secret: 's'.repeat(32) } },
      defaults: {
        headers: {
          forward: ['x-tenant'],
          claims: { sub: 'x-user', 'org.id': 'x-org', name: 'x-name' },
          set: { 'x-gateway': 'shop' },
        },
      },
    });
  });

  test('decide what a caller may select', async () => {
    const query = '{ open me salary }';
    expect((await front.ask(query)).body.data).toEqual({ open: 1, me: null, salary: null });
    expect((await front.ask(query, bearer(await tokenOf({ sub: 'u1' })))).body.data).toEqual({ open: 1, me: 'Ada', salary: null });
    for (const scope of ['read:x read:salary', ['read:salary']]) {
      expect((await front.ask(query, bearer(await tokenOf({ sub: 'u1', scope })))).body.data).toEqual({
        open: 1,
        me: 'Ada',
        salary: 9,
      });
    }
  });

  test('give subgraphs their claims, which callers cannot forge', async () => {
    const forged = {
      'x-user': 'admin',
      'x-org': 'other',
      'x-claims': 'forged',
      'x-gateway': 'other',
      'x-tenant': 't',
      cookie: 'a=1',
    };
    await front.ask('{ open }', { ...forged, ...bearer(await tokenOf({ sub: 'u1', org: { id: 7 } })) });
    const { headers } = servers.account!.seen.at(-1)!;
    expect(headers).toMatchObject({ 'x-user': 'u1', 'x-org': '7', 'x-gateway': 'shop', 'x-tenant': 't' });
    for (const name of ['authorization', 'cookie', 'x-name']) expect(headers).not.toHaveProperty(name);
    const { payload } = await jwtVerify(String(headers['x-claims']), new TextEncoder().encode('s'.repeat(32)));
    expect(payload).toMatchObject({ sub: 'u1', org: { id: 7 } });
    await front.ask('{ open }', forged);
    for (const name of ['x-user', 'x-org', 'x-claims']) expect(servers.account!.seen.at(-1)!.headers).not.toHaveProperty(name);
  });

  test('cannot add headers by line breaks in a claim', async () => {
    const { body } = await front.ask('{ open }', bearer(await tokenOf({ sub: 'u1\r\nx-admin: 1', name: 'Zoë' })));
    expect(body).toEqual({ data: { open: 1 } });
    const { headers } = servers.account!.seen.at(-1)!;
    expect(headers).not.toHaveProperty('x-admin');
    expect(headers).toMatchObject({ 'x-user': 'u1%0D%0Ax-admin%3A%201', 'x-name': 'Zo%C3%AB' });
  });

  test('reach subgraphs in headers that are equal only for equal claims', async () => {
    const sent = async (name: unknown) => {
      await front.ask('{ open }', bearer(await tokenOf({ name } as JWTPayload)));
      return servers.account!.seen.at(-1)!.headers['x-name'] as string;
    };
    const texts = ['root', ' root', 'root ', ' root ', 'josé', 'jos%C3%A9', '["a"]', '{"a":1}', '%20root', '', 'a, b'];
    const objects = [['a'], ['é'], { a: 1 }, []];
    const headers: string[] = [];
    for (const text of texts) {
      const header = await sent(text);
      expect(decodeURIComponent(header)).toBe(text);
      headers.push(header);
    }
    for (const each of objects) {
      const header = await sent(each);
      expect(JSON.parse(header)).toEqual(each);
      headers.push(header);
    }
    expect(new Set(headers).size).toBe(headers.length);
    expect(headers.slice(0, 2)).toEqual(['root', '%20root']);
  });

  test('are signed for no longer than they are valid', async () => {
    const expiryOf = async (expires: string) => {
      await front.ask('{ open }', bearer(await tokenOf({ sub: 'u1' }, { expires })));
      return decodeJwt(String(servers.account!.seen.at(-1)!.headers['x-claims'])).exp! - Date.now() / 1_000;
    };
    expect(await expiryOf('20s')).toBeLessThan(21);
    const long = await expiryOf('1h');
    expect(long).toBeGreaterThan(50);
    expect(long).toBeLessThan(62);
  });

  test('without an expiry are refused, unless the issuer may give them', async () => {
    const forever = await new SignJWT({ sub: 'u1' })
      .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
      .setIssuer(issuer)
      .setAudience(audience)
      .sign(keys.privateKey);
    expect(await front.ask('{ me }', bearer(forever))).toMatchObject({
      status: 401,
      body: { errors: [{ message: 'The token must have an expiry (exp)', extensions: { code: 'UNAUTHENTICATED' } }] },
    });
    const [each] = jwt().issuers;
    const { ask } = await served({ supergraph: { source }, jwt: { issuers: [{ ...each!, allowWithoutExpiry: true }] } });
    expect((await ask('{ me }', bearer(forever))).body).toEqual({ data: { me: 'Ada' } });
  });

  test('that are too long are refused with the reason', async () => {
    const { status, body } = await front.ask('{ open }', bearer('x'.repeat(8_193)));
    expect([status, body.errors[0].message]).toEqual([401, 'The token is too long: it may have 8192 characters, not 8193']);
  });

  test('that are forged are refused', async () => {
    const other = await generateKeyPair('ES256');
    const good = await tokenOf({ sub: 'u1' });
    const [head, body, signature] = good.split('.');
    const secret = new TextEncoder().encode(JSON.stringify(await exportJWK(keys.publicKey)));
    const forged: Record<string, string> = {
      'signed by another key': await tokenOf({ sub: 'u1' }, { key: other.privateKey }),
      'of another key id': await tokenOf({ sub: 'u1' }, { kid: 'k2' }),
      'of another issuer': await tokenOf({ sub: 'u1' }, { iss: 'https://evil.example' }),
      expired: await tokenOf({ sub: 'u1' }, { expires: '-1m' }),
      unsigned: new UnsecuredJWT({ sub: 'u1' }).setIssuer(issuer).setAudience(audience).encode(),
      'without a signature': `${head}.${body}.`,
      'with changed claims': `${head}.${Buffer.from('{"sub":"admin"}').toString('base64url')}.${signature}`,
      'signed with the public key as a secret': await new SignJWT({ sub: 'u1' })
        .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
        .setIssuer(issuer)
        .setAudience(audience)
        .sign(secret),
      'of another audience': await new SignJWT({})
        .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
        .setIssuer(issuer)
        .setAudience('x')
        .sign(keys.privateKey),
      garbage: 'a.b.c',
      huge: `${head}.${'x'.repeat(9_000)}.${signature}`,
    };
    for (const [what, token] of Object.entries(forged)) {
      const answered = await front.ask('{ open }', bearer(token));
      expect([what, answered.status, answered.body.data]).toEqual([what, 401, undefined]);
      expect(answered.body.errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
    }
    expect((await front.ask('{ open }', { authorization: 'Basic YTpi' })).status).toBe(401);
  });

  test('of unknown keys do not make the gateway ask for keys each time', async () => {
    const before = jwksRequests;
    const token = await tokenOf({ sub: 'u1' }, { kid: 'unknown' });
    await Promise.all(Array.from({ length: 50 }, () => front.ask('{ open }', bearer(token))));
    expect(jwksRequests - before).toBeLessThanOrEqual(1);
  });

  test('authenticate a WebSocket, which ends when they expire', async () => {
    const open = (token: string) =>
      createClient({
        url: front.url.replace('http', 'ws'),
        webSocketImpl: WebSocket,
        connectionParams: { Authorization: `Bearer ${token}` },
        retryAttempts: 0,
        shouldRetry: () => false,
      });
    const events = open(await tokenOf({ sub: 'u1' }, { expires: '2s' })).iterate({ query: 'subscription { ticks }' });
    expect((await events.next()).value).toEqual({ data: { ticks: 1 } });
    await expect(events.next()).rejects.toMatchObject({ code: 4401 });
    await expect(open('forged').iterate({ query: '{ open }' }).next()).rejects.toMatchObject({ code: 4401 });
  }, 15_000);
});

test('the claims of a WebSocket are signed for each operation', async () => {
  const secret = 's'.repeat(32);
  const { url } = await served({ supergraph: { source }, jwt: { ...jwt(), sign: { header: 'x-claims', secret, seconds: 1 } } });
  const connectionParams = { authorization: `Bearer ${await tokenOf({ sub: 'u1' })}` };
  const client = createClient({ url: url.replace('http', 'ws'), webSocketImpl: WebSocket, connectionParams, lazy: false });
  const subject = async () => {
    await client.iterate({ query: '{ me }' }).next();
    const token = String(servers.account!.seen.at(-1)!.headers['x-claims']);
    return (await jwtVerify(token, new TextEncoder().encode(secret), { clockTolerance: 1 })).payload.sub;
  };
  expect(await subject()).toBe('u1');
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  expect(await subject()).toBe('u1');
  await client.dispose();
}, 15_000);

test('a token can be required', async () => {
  const { ask } = await served({ supergraph: { source }, jwt: { ...jwt(), required: true } });
  const answered = await ask('{ open }');
  expect(answered.status).toBe(401);
  expect(answered.headers.get('www-authenticate')).toBe('Bearer');
  expect((await ask('{ open }', bearer(await tokenOf({})))).status).toBe(200);
});

test('keys that cannot be read are no fault of the caller, and do not hold up others', async () => {
  const hanging = await listening(() => {});
  const { ask } = await served({ supergraph: { source }, jwt: { issuers: [{ jwks: hanging, issuer, audience }] } });
  let isWaiting = true;
  const waiting = ask('{ open }', bearer(await tokenOf({}))).finally(() => (isWaiting = false));
  expect((await ask('{ open }')).status).toBe(200);
  expect(isWaiting).toBe(true);
  expect(await waiting).toMatchObject({ status: 503, body: { errors: [{ extensions: { code: 'UNAVAILABLE' } }] } });
  const failing = await listening((_request, response) => response.writeHead(500).end('oops'));
  const other = await served({ supergraph: { source }, jwt: { issuers: [{ jwks: failing, issuer, audience }] } });
  expect((await other.ask('{ open }', bearer(await tokenOf({})))).status).toBe(503);
}, 20_000);

test('known keys hold while their server is away', async () => {
  const keySet = await (await fetch(jwksAddress)).text();
  let asked = 0;
  const sometimes = await listening((_request, response) => {
    asked += 1;
    if (asked === 1) response.setHeader('content-type', 'application/json').end(keySet);
    else response.writeHead(503).end();
  });
  const { ask } = await served({ supergraph: { source }, jwt: { issuers: [{ jwks: sometimes, issuer, audience }] } });
  const known = bearer(await tokenOf({ sub: 'u1' }));
  expect((await ask('{ open }', known)).status).toBe(200);
  const unknown = bearer(await tokenOf({}, { kid: 'unknown' }));
  const start = Date.now();
  const clock = jest.spyOn(Date, 'now');
  const after = (minutes: number) => clock.mockImplementation(() => start + minutes * 60_000);
  try {
    after(11);
    for (let sent = 0; sent < 3; sent += 1) expect((await ask('{ open }', known)).status).toBe(200);
    await readUntil(
      () => asked,
      (times) => times === 2,
    );
    // The key may be a new one, so the caller shall try again.
    expect((await ask('{ open }', unknown)).status).toBe(503);
    expect(asked).toBe(2);
    after(23 * 60);
    expect((await ask('{ open }', known)).status).toBe(200);
    // The key may have been withdrawn.
    after(25 * 60);
    expect((await ask('{ open }', known)).status).toBe(503);
  } finally {
    clock.mockRestore();
  }
});

test('the reason for which a subgraph refuses a WebSocket is logged, not shown', async () => {
  const refusing = createServer();
  const sockets = new WebSocketServer({ server: refusing, handleProtocols });
  sockets.on('connection', (socket) => socket.close(4403, 'wrong password of the database'));
  const port = await listen(refusing);
  stack.defer(async () => void refusing.close());
  const outcomes: unknown[] = [];
  const seeing: Plugin = { name: 'seeing', onResponse: (outcome) => void outcomes.push(outcome) };
  const subgraphs = { account: { url: `http://127.0.0.1:${port}` } };
  const { url } = await served({ supergraph: { source }, subgraphs, jwt: jwt() }, [seeing]);
  const connectionParams = bearer(await tokenOf({ sub: 'u1' }));
  const client = createClient({ url: url.replace('http', 'ws'), webSocketImpl: WebSocket, connectionParams });
  const { value } = await client.iterate({ query: 'subscription { ticks }' }).next();
  expect(value).toMatchObject({ errors: [{ message: 'The subgraph refused the connection', extensions: { code: 'FORBIDDEN' } }] });
  expect(JSON.stringify(value)).not.toContain('password');
  expect(outcomes).toHaveLength(1);
  await client.dispose();
});

test('clients are counted by a claim', async () => {
  const { ask } = await served({ supergraph: { source }, jwt: jwt(), rateLimit: { requests: 2, claim: 'sub' } });
  const [ada, ben] = await Promise.all(['ada', 'ben'].map(async (sub) => bearer(await tokenOf({ sub }))));
  const statuses = async (headers: Record<string, string>) =>
    [await ask('{ open }', headers), await ask('{ open }', headers), await ask('{ open }', headers)].map(({ status }) => status);
  expect(await statuses(ada!)).toEqual([200, 200, 429]);
  expect(await statuses(ben!)).toEqual([200, 200, 429]);
  // Without a subject they count for their address, with callers without a token.
  const [none, empty] = await Promise.all([null, ''].map(async (sub) => bearer(await tokenOf({ sub } as JWTPayload))));
  expect((await ask('{ open }', none)).status).toBe(200);
  expect((await ask('{ open }', empty)).status).toBe(200);
  expect((await ask('{ open }')).status).toBe(429);
});

test('operations over one WebSocket count like requests', async () => {
  const { url, ask } = await served({ supergraph: { source }, rateLimit: { requests: 5 } });
  const client = createClient({ url: url.replace('http', 'ws'), webSocketImpl: WebSocket });
  const run = async () => {
    for await (const { data } of client.iterate({ query: '{ open }' })) return data;
    return undefined;
  };
  const outcomes = await Promise.allSettled(Array.from({ length: 50 }, run));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: [{ extensions: { code: 'RATE_LIMITED' } }],
  });
  await client.dispose();
  expect((await ask('{ open }')).status).toBe(429);
});

test('parameters of a WebSocket cannot stand for headers that a proxy sets', async () => {
  const { url } = await served({ supergraph: { source }, jwt: jwt(), defaults: { headers: { forward: ['x-proxy-user'] } } });
  const connectionParams = { 'x-proxy-user': 'admin', authorization: `Bearer ${await tokenOf({ sub: 'u1' })}` };
  const client = createClient({ url: url.replace('http', 'ws'), webSocketImpl: WebSocket, connectionParams });
  expect((await client.iterate({ query: '{ open me }' }).next()).value).toEqual({ data: { open: 1, me: 'Ada' } });
  expect(servers.account!.seen.at(-1)!.headers).not.toHaveProperty('x-proxy-user');
  await client.dispose();
});

describe('a subgraph that fails', () => {
  const answering = async (answers: readonly (number | 'hang')[]) => {
    let asked = 0;
    const url = await listening((request, response) => {
      const answer = answers[Math.min(asked++, answers.length - 1)]!;
      request.resume();
      if (answer === 'hang') return;
      response
        .writeHead(answer, { 'content-type': 'application/json' })
        .end(answer === 200 ? '{"data":{"open":1,"pay":1}}' : 'oops');
    });
    return { url, asked: () => asked };
  };

  test('is asked again for a query, not for a mutation', async () => {
    const flaky = await answering([503, 503, 200]);
    const { ask } = await served({ supergraph: { source }, subgraphs: { account: { url: flaky.url, retries: 2 } } });
    expect((await ask('{ open }')).body).toEqual({ data: { open: 1 } });
    expect(flaky.asked()).toBe(3);
    const down = await answering([503]);
    const other = await served({ supergraph: { source }, subgraphs: { account: { url: down.url, retries: 2 } } });
    expect((await other.ask('mutation { pay }')).body).toMatchObject({
      data: { pay: null },
      errors: [{ extensions: { code: 'UNAVAILABLE' } }],
    });
    expect(down.asked()).toBe(1);
  });

  test('is not asked while its circuit is open, and is tried again afterwards', async () => {
    const down = await answering([503, 503, 503, 200]);
    const circuitBreaker = { failures: 3, seconds: 1 };
    const { ask } = await served({ supergraph: { source }, subgraphs: { account: { url: down.url, circuitBreaker } } });
    for (let at = 0; at < 10; at++) await ask('{ open }');
    expect(down.asked()).toBe(3);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect((await ask('{ open }')).body).toEqual({ data: { open: 1 } });
  });

  test('has a time limit of its own, and so has the operation', async () => {
    const hanging = await answering(['hang']);
    const slow = { account: { url: hanging.url, timeoutSeconds: 0.3 } };
    const timed = async ({ ask }: Awaited<ReturnType<typeof served>>) => {
      const started = performance.now();
      expect((await ask('{ open }')).body).toMatchObject({
        data: { open: null },
        errors: [{ extensions: { code: 'UNAVAILABLE' } }],
      });
      // Without the limits they would take 30 and 60 seconds.
      expect(performance.now() - started).toBeLessThan(15_000);
    };
    await timed(await served({ supergraph: { source }, subgraphs: slow }));
    await timed(
      await served({ supergraph: { source }, subgraphs: { account: { url: hanging.url } }, server: { timeoutSeconds: 0.3 } }),
    );
  });

  test('is not blamed for callers that leave', async () => {
    const hanging = await answering(['hang', 'hang', 'hang', 200]);
    const { url, ask } = await served({
      supergraph: { source },
      shareRequests: false,
      subgraphs: { account: { url: hanging.url, circuitBreaker: { failures: 2, seconds: 60 } } },
    });
    for (let at = 0; at < 3; at++) {
      const body = JSON.stringify({ query: '{ open }' });
      const signal = AbortSignal.timeout(150);
      await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body, signal }).catch(() => {});
    }
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await ask('{ open }')).body).toEqual({ data: { open: 1 } });
  });
});

test('headers can be renamed for a subgraph, and those of a connection are never passed on', async () => {
  const { ask } = await served({
    supergraph: { source },
    defaults: { headers: { forward: ['x-a', 'connection', 'host', 'content-length', 'transfer-encoding'] } },
    subgraphs: { account: { headers: { rename: { 'x-b': 'x-c' } } } },
  });
  expect((await ask('{ open }', { 'X-A': '1', 'x-b': '2' })).body).toEqual({ data: { open: 1 } });
  expect(servers.account!.seen.at(-1)!.headers).toMatchObject({ 'x-a': '1', 'x-c': '2' });
  expect(servers.account!.seen.at(-1)!.headers).not.toHaveProperty('x-b');
});

import { GraphQLError } from 'graphql';
import { clientOf } from '../http/websocket-client.ts';
import { type Caller, serveByApollo } from '../support/apollo-subgraph.ts';
import { federate, type Subgraph, subgraph } from '../support/federation.ts';
import { runFederation, supergraphOf } from '../support/running-federation.ts';
import { serve } from '../support/serve.ts';

const loginFirst = (_: unknown, __: unknown, { authorization }: Caller) => {
  if (authorization) return `letters of ${authorization}`;
  throw new GraphQLError('log in first', { extensions: { code: 'UNAUTHENTICATED', realm: 'letters', http: { status: 401 } } });
};

const people = subgraph('people', 'type Query { people: [Person!]! } type Person @key(fields: "id") { id: ID! name: String }', {
  Query: {
    people: () => [
      { id: '1', name: 'Ada' },
      { id: '2', name: 'Ben' },
    ],
  },
});
const mail = subgraph('mail', 'type Query { letters: String bare: String } type Person @key(fields: "id") { id: ID! inbox: Int }', {
  Query: {
    letters: loginFirst,
    bare: () => {
      throw new Error('the post office is closed');
    },
  },
  Person: {
    __resolveReference: (person: object) => person,
    inbox({ id }: { id: string }) {
      if (id === '1') return 3;
      throw new GraphQLError('inbox of Ben is private', { extensions: { code: 'PRIVATE', owner: 'Ben' } });
    },
  },
});

const running: { name: string; url: string; stop(): Promise<void> }[] = [];
const served: Subgraph[] = [];
beforeAll(async () => {
  for (const each of [people, mail]) {
    const server = await serveByApollo(each);
    running.push({ name: each.name, ...server });
    served.push({ ...each, url: server.url });
  }
});
afterAll(async () => {
  for (const { stop } of running) await stop();
});

test('errors of external subgraphs keep message, code, extensions and path', async () => {
  await using gateway = await runFederation(supergraphOf(served));
  expect(await gateway.ask('{ mine: letters people { name inbox } }')).toEqual({
    data: {
      mine: null,
      people: [
        { name: 'Ada', inbox: 3 },
        { name: 'Ben', inbox: null },
      ],
    },
    errors: expect.arrayContaining([
      { message: 'log in first', path: ['mine'], extensions: { code: 'UNAUTHENTICATED', realm: 'letters' } },
      { message: 'inbox of Ben is private', path: ['people', 1, 'inbox'], extensions: { code: 'PRIVATE', owner: 'Ben' } },
    ]),
  });
  expect(await gateway.ask('{ bare }')).toEqual({
    data: { bare: null },
    errors: [{ message: 'the post office is closed', path: ['bare'], extensions: { code: 'INTERNAL_SERVER_ERROR' } }],
  });
});

test('an error that comes with a status of 500 is passed on', async () => {
  await using gateway = await runFederation(supergraphOf(served), { FORWARD_HEADERS: ['authorization'] });
  expect(await gateway.ask('{ letters }', { authorization: 'Ada' })).toEqual({ data: { letters: 'letters of Ada' } });
  expect(await gateway.ask('{ letters }', { authorization: 'broken' })).toMatchObject({
    data: { letters: null },
    errors: [{ message: expect.stringContaining('log in again'), path: ['letters'], extensions: { code: 'UNAUTHENTICATED' } }],
  });
});

test.each([['mail'], ['*']])('MASK_ERRORS=%s masks them', async (name) => {
  await using gateway = await runFederation(supergraphOf(served), { MASK_ERRORS: [name] });
  expect(await gateway.ask('{ letters bare }')).toMatchObject({
    errors: ['letters', 'bare'].map((key) => ({
      message: 'Internal Server Error',
      path: [key],
      extensions: { code: 'INTERNAL_SERVER_ERROR' },
    })),
  });
});

test('forwarded headers reach subscriptions as connectionParams, and a rejected connection hides the reason of the subgraph', async () => {
  const news = subgraph('news', 'type Query { a: Int } type Subscription { news: String }', {
    Subscription: {
      news: {
        async *subscribe() {
          yield { news: 'one' };
        },
      },
    },
  });
  const server = await serve(federate([news]).schemas.news!, {
    admits: ({ authorization, 'x-tenant': tenant }) => authorization === 'Bearer 1' && tenant === 't',
  });
  await using gateway = await runFederation(supergraphOf([{ ...news, url: server.url }]), {
    FORWARD_HEADERS: ['authorization', 'x-tenant'],
  });
  const events = async (connectionParams: Record<string, string>) => {
    const client = clientOf(gateway, connectionParams);
    const all = [];
    for await (const event of client.iterate({ query: 'subscription { news }' })) all.push(event);
    await client.dispose();
    return all;
  };
  try {
    expect(await events({ Authorization: 'Bearer 1', 'X-Tenant': 't', 'x-other': 'o' })).toEqual([{ data: { news: 'one' } }]);
    expect(server.seen.at(-1)!.connectionParams).toEqual({ authorization: 'Bearer 1', 'x-tenant': 't' });
    expect(await events({ Authorization: 'Bearer 2' })).toEqual([
      { data: null, errors: [{ message: 'The subgraph refused the connection', extensions: { code: 'FORBIDDEN' } }] },
    ]);
  } finally {
    await server.close();
  }
});

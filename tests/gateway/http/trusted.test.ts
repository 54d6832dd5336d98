import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { Manifest } from 'compiled-gateway/graphql-over-http';
import { readManifest } from 'compiled-gateway/graphql-over-http';
import type { SubscribePayload } from 'graphql-ws';
import type { Endpoint } from './endpoint.ts';
import { endpoint, fronts } from './endpoint.ts';
import { clientOf, key } from './websocket-client.ts';

const hash = (text: string) => createHash('sha256').update(text).digest('hex');
const greet = 'query Greet($name: String) { hello(name: $name) }';
const ticks = 'subscription Ticks { ticks(upTo: 2) }';
const manifest: Manifest = {
  format: 'apollo-persisted-query-manifest',
  version: 1,
  operations: [
    { id: 'greet-1', name: 'Greet', type: 'query', body: greet },
    { id: hash(ticks), name: 'Ticks', type: 'subscription', body: ticks },
  ],
};

const send = async ({ url }: Endpoint, body: object) => {
  const answer = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json' },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: await answer.json() };
};
const refusal = (code: string, message: string) => ({ status: 400, body: { errors: [{ message, extensions: { code } }] } });
const greeted = { status: 200, body: { data: { hello: 'hello Ada' } } };
const variables = { name: 'Ada' };
const byHash = (sha256Hash: string) => ({ persistedQuery: { version: 1, sha256Hash } });

/** The first result of an operation over WebSocket. */
async function overSocket(graph: Endpoint, payload: SubscribePayload): Promise<unknown> {
  const client = clientOf(graph, key);
  try {
    return (await client.iterate(payload).next()).value;
  } catch (errors) {
    return { errors };
  } finally {
    await client.dispose();
  }
}

test('the built-in front does not learn documents from callers', async () => {
  await using graph = await endpoint({ trusted: [manifest] });
  await send(graph, { query: '{ hello }', extensions: byHash(hash('{ hello }')) });
  expect(await send(graph, { extensions: byHash(hash('{ hello }')) })).toEqual(
    refusal('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound'),
  );
});

describe.each(fronts)('%s', (_, front) => {
  test('a trusted document runs by its id, by its hash in either form, and by GET', async () => {
    await using graph = await endpoint({ ...front, trusted: [manifest] });
    expect(await send(graph, { documentId: 'greet-1', variables })).toEqual(greeted);
    expect(await send(graph, { documentId: `sha256:${hash(greet)}`, variables })).toEqual(greeted);
    expect(await send(graph, { extensions: byHash(hash(greet)), variables })).toEqual(greeted);
    const got = await fetch(`${graph.url}/graphql?documentId=greet-1&variables={"name":"Ada"}`, {
      headers: { 'x-api-key': 'good' },
    });
    expect(await got.json()).toEqual(greeted.body);
  });

  test('other documents run unless only trusted ones are allowed', async () => {
    await using open = await endpoint({ ...front, trusted: [manifest] });
    expect(await send(open, { query: '{ hello }' })).toMatchObject({ status: 200 });

    await using closed = await endpoint({ ...front, trusted: [manifest], safelist: true });
    const notTrusted = refusal('QUERY_NOT_IN_SAFELIST', 'Only trusted documents are run here');
    expect(await send(closed, { query: '{ hello }' })).toEqual(notTrusted);
    expect(await send(closed, { query: `${greet} ` })).toEqual(notTrusted);
    expect(await send(closed, { query: '{ __schema { queryType { name } } }' })).toEqual(notTrusted);
    expect(await send(closed, { query: '{' })).toEqual(notTrusted);
    expect(await send(closed, { query: greet, variables })).toEqual(greeted);
    expect(await send(closed, { query: greet, extensions: byHash(hash(greet)), variables })).toEqual(greeted);
    expect(await send(closed, { documentId: 'greet-1', variables })).toEqual(greeted);
    expect(closed.seen.contexts.length).toBe(3);
  });

  test('an unknown id, and an id with a query, are rejected as Apollo clients expect', async () => {
    await using graph = await endpoint({ ...front, trusted: [manifest] });
    const unknown = refusal('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
    expect(await send(graph, { documentId: 'constructor' })).toEqual(unknown);
    expect(await send(graph, { extensions: byHash(hash('{ hello }')) })).toEqual(unknown);
    expect(await send(graph, { query: greet, documentId: 'greet-1' })).toEqual(
      refusal('CANNOT_SEND_PQ_ID_AND_BODY', 'Send either a query or a documentId'),
    );
    await using without = await endpoint(front);
    expect(await send(without, { documentId: 'greet-1' })).toEqual(
      refusal('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported'),
    );
  });

  test('over WebSocket the same documents are trusted', async () => {
    await using graph = await endpoint({ ...front, trusted: [manifest], safelist: true });
    expect(await overSocket(graph, { query: greet, variables })).toEqual(greeted.body);
    expect(await overSocket(graph, { query: '', extensions: byHash(hash(ticks)) })).toEqual({ data: { ticks: '1' } });
    expect(await overSocket(graph, { query: '{ hello }' })).toEqual({
      errors: [{ message: 'Only trusted documents are run here', extensions: { code: 'QUERY_NOT_IN_SAFELIST' } }],
    });
  });

  test.each([
    ['is not valid', '{ nothing }', 'The trusted operation Wrong: Cannot query field "nothing" on type "Query".'],
    ['cannot be read', '{', 'The trusted operation Wrong: Syntax Error: Expected Name, found <EOF>.'],
    ['has the id of another', '{ hello }', 'The trusted operation Wrong: another operation has the id greet-1'],
  ])('an operation that %s stops the start and is named', async (_, body, message) => {
    const wrong: Manifest = { ...manifest, operations: [{ id: 'greet-1', name: 'Wrong', type: 'query', body }] };
    await expect(endpoint({ ...front, trusted: [manifest, wrong] })).rejects.toThrow(message);
  });

  test.each([
    ['[]', 'is not a manifest'],
    ['{"format": "other", "version": 1, "operations": []}', 'is not a manifest'],
    ['{"format": "apollo-persisted-query-manifest", "version": 1, "operations": [{"id": "1"}]}', 'of operation 1'],
  ])('%s is not a manifest', (text, message) => {
    expect(() => readManifest(text)).toThrow(message);
  });
});

test('a safelist accepts the operations of the own pages by their text, and learns no ids', async () => {
  const own = ['{ hello }'];
  await using graph = await endpoint({ own, safelist: true });
  expect(await send(graph, { query: own[0] })).toMatchObject({ status: 200 });
  expect((await send(graph, { query: '{ hello me { id } }' })).body.errors[0].extensions.code).toBe('QUERY_NOT_IN_SAFELIST');
  expect((await send(graph, { documentId: hash(own[0]!) })).body.errors[0].extensions.code).toBe('PERSISTED_QUERY_NOT_SUPPORTED');
});

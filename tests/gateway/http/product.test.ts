import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Manifest } from 'compiled-gateway/graphql-over-http';
import { defaultBodyLimit } from '../../../schema/limits.ts';
import { caller } from '../../support/client.ts';
import { type Gateway, openGateway } from '../../support/gateway.ts';
import { seedOrganization } from '../../support/seed.ts';
import { startGateway } from '../../support/system.ts';

let gateway: Gateway;
let manifest: Manifest;
let key: string;
let slug: string;
beforeAll(async () => {
  manifest = JSON.parse(await readFile('schema/trusted-documents.json', 'utf8'));
  gateway = await openGateway({
    TRUSTED_DOCUMENTS: 'schema/trusted-documents.json',
    GRAPHQL_SAFELIST: 'true',
    CORS_ORIGINS: 'https://app.example.com',
  });
  ({ key, slug } = await seedOrganization());
});
afterAll(() => gateway.stop());

const operation = (name: string) => manifest.operations.find((each) => each.name === name)!;

test('the manifest of the product contains all of its operations, each under a unique name', () => {
  expect(manifest.operations.length).toBeGreaterThan(50);
  expect(new Set(manifest.operations.map(({ name }) => name)).size).toBe(manifest.operations.length);
});

test('with a safelist, only operations of the manifest run, by id or by text, and REST is unaffected', async () => {
  const api = caller(key, { url: gateway.url });
  const { id, body: query } = operation('PostApiOrganizationProductsGet');
  const variables = { page: 1, limit: 5 };
  const byId = await api.post('/graphql', { documentId: id, variables });
  expect([byId.status, byId.body.errors]).toEqual([200, undefined]);
  expect((await api.post('/graphql', { query, variables })).body).toEqual(byId.body);

  expect((await api.post('/graphql', { query: '{ __typename }' })).body).toMatchObject({
    errors: [{ extensions: { code: 'QUERY_NOT_IN_SAFELIST' } }],
  });
  expect((await api.post(`/api/${slug}/products/get`)).status).toBe(200);
});

test('the body limit applies to GraphQL and REST', async () => {
  const api = caller(key, { url: gateway.url });
  const large = { query: '{ __typename }', variables: { a: 'a'.repeat(defaultBodyLimit) } };
  expect((await api.post('/graphql', large)).status).toBe(413);
  expect((await api.post(`/api/${slug}/products/get`, large)).status).toBe(400);
});

test('pages of an allowed origin may read only GraphQL responses', async () => {
  const headers = { origin: 'https://app.example.com' };
  const graphql = await caller(key, { url: gateway.url }).post('/graphql', { query: '{ __typename }' }, headers);
  expect(graphql.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
  const health = await fetch(`${gateway.url}/healthz`, { headers });
  expect(health.headers.get('access-control-allow-origin')).toBeNull();
});

test('a safelist without documents and an invalid manifest stop the start with a message', async () => {
  await expect(startGateway({ GRAPHQL_SAFELIST: 'true' })).rejects.toThrow('GRAPHQL_SAFELIST needs TRUSTED_DOCUMENTS');
  await expect(startGateway({ TRUSTED_DOCUMENTS: 'package.json' })).rejects.toThrow('package.json: is not a manifest');
});

import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { organizationOfToken, readAgentToken, signAgentToken } from '../../platform/identity/callers.ts';
import { Secrets } from '../../platform/secrets/index.ts';
import { createGraph } from '../../platform/subgraph/services.ts';
import { catalog } from '../../subgraphs/catalog/catalog.ts';
import { catalogTables } from '../../subgraphs/catalog/tables.ts';
import { openSubgraph } from '../support/subgraph.ts';

const KEY = 'the-key-of-the-tests-and-of-nothing-else';
const secrets = new Secrets([KEY]);
const graph = await openSubgraph(catalog, catalogTables);
afterAll(() => graph.close());
const acme = await graph.seed();
const other = await graph.seed();
const agent = { organizationId: acme.id, agentId: randomUUID() };
const withToken = (token: string, headers = {}) => graph.caller(undefined, { 'x-agent-token': token, ...headers });

test('an agent searches and reads the products of its organization, and nothing else', async () => {
  const create = 'mutation ($sku: String!) { createProduct(input: { sku: $sku, name: "Anvil" }) { id } }';
  const { createProduct } = await graph.caller(acme.key).ask(create, { sku: 'A-1' });
  await graph.caller(other.key).ask(create, { sku: 'B-1' });
  const { ask, refusal } = withToken(await signAgentToken(secrets, agent));
  expect(await ask('{ searchProducts(query: "anvil") { sku } }')).toEqual({ searchProducts: [{ sku: 'A-1' }] });
  expect(await ask('{ product(sku: "A-1") { name values { slug } } }')).toEqual({
    product: { name: 'Anvil', values: [] },
  });
  expect(await refusal('{ product(sku: "B-1") { name } }')).toBe('NOT_FOUND: Product not found');
  for (const operation of [
    '{ products { nodes { sku } } }',
    '{ me { user { id } } }',
    '{ apiKeys { id } }',
    '{ organizationAccounts { organizationId } }',
    'mutation { createProduct(input: { sku: "C", name: "C" }) { id } }',
    `mutation { deleteProduct(id: "${createProduct.id}") { deleted } }`,
    'mutation { createOrganization(name: "Mine", slug: "mine") { key } }',
  ])
    expect([operation, await refusal(operation)]).toEqual([operation, expect.stringMatching(/^FORBIDDEN|Cannot query/)]);
});

test('a token selects its organization only', async () => {
  const token = await signAgentToken(secrets, agent);
  const search = '{ searchProducts(query: "anvil") { sku } }';
  for (const organization of [other.id, other.slug])
    expect(await withToken(token, { 'x-organization': organization }).refusal(search)).toBe('NO_ACCESS: Invalid API Key');
});

test('operations of an agent use the share of connections of its organization', async () => {
  const owners: unknown[] = [];
  const { query } = createGraph(secrets, (_, __, { owner, headers }) => {
    owners.push(owner, organizationOfToken(headers['x-agent-token']!));
    return { data: {} };
  });
  await query('{ searchProducts(query: "anvil") { sku } }', {}, agent);
  expect(owners).toEqual([acme.id, acme.id]);
  expect(organizationOfToken('x')).toBeUndefined();
});

test('forged, expired and unrelated tokens are invalid', async () => {
  const claims = (audience: string, organizationId: string | undefined = acme.id) =>
    new SignJWT({ organizationId }).setProtectedHeader({ alg: 'HS256' }).setSubject(agent.agentId).setAudience(audience);
  const key = secrets.tokenKey('agent-graph');
  const valid = await signAgentToken(secrets, agent);
  const [head, body, signature] = valid.split('.');
  const swapped = Buffer.from(JSON.stringify({ ...JSON.parse(atob(body!)), organizationId: other.id })).toString('base64url');
  const tokens = [
    '',
    'x',
    valid.slice(0, -3),
    `${head}.${swapped}.${signature}`,
    `${btoa('{"alg":"none"}').replaceAll('=', '')}.${body}.`,
    await signAgentToken(new Secrets(['another-key-that-nobody-has-configured-here']), agent),
    await claims('agent-graph').setExpirationTime('-1m').sign(key),
    await claims('agent-graph').sign(key),
    await claims('handoff').setExpirationTime('1m').sign(key),
    await claims('agent-graph').setExpirationTime('1m').sign(secrets.tokenKey('handoff')),
  ];
  for (const token of tokens) await expect(readAgentToken(secrets, token)).rejects.toThrow('Invalid API Key');
});

test('during a rotation of SECRETS_KEY, tokens of either key are valid', async () => {
  const next = 'the-next-key-of-the-tests-of-the-rotation';
  const token = await signAgentToken(new Secrets([KEY]), agent);
  expect(await readAgentToken(new Secrets([next, KEY]), token)).toEqual(agent);
  expect(await readAgentToken(new Secrets([KEY, next]), token)).toEqual(agent);
});

import { randomUUID } from 'node:crypto';
import { buildSchema, type GraphQLArgument, isNullableType } from 'graphql';
import { teachScalars } from '../../schema/scalars.ts';
import { argumentsFor, operationOf } from '../identity/sweep.ts';
import { textOf } from '../structure/files.ts';
import { caller } from '../support/client.ts';
import { color, seedCatalog } from '../support/enrichment.ts';

const schema = buildSchema(textOf('schema/api.graphql'));
teachScalars(schema);
const fields = Object.values(schema.getQueryType()!.getFields());

const namesRecord = ({ name, type }: GraphQLArgument) => ['ID!', '[ID!]!'].includes(String(type)) || name === 'publicSlug';
/** Lists that are empty for an unknown product. */
const empty = ['enrichmentHistory', 'validationHistory'];
/** Fields that name a record by one of several keys. */
const byAnyKey = ['brand', 'category', 'product'];
/** Fields whose null is an answer. */
const nullAnswers = ['invitation', 'productImageContent', 'visitorHandoffAway', 'visitorHandoffPlace'];

const lookups = fields.filter(({ name, args }) => args.some(namesRecord) && !empty.includes(name));
const hasDirective = ({ astNode }: (typeof fields)[number]) =>
  astNode!.directives!.some(({ name }) => name.value === 'semanticNonNull');

let catalog: Awaited<ReturnType<typeof seedCatalog>>;
beforeAll(async () => {
  catalog = await seedCatalog([color], { modules: ['agents', 'helpdesk'] });
});

test('exactly the root fields that look up a record are nullable', () => {
  const nullable = fields.filter(({ type }) => isNullableType(type)).map(({ name }) => name);
  expect(nullable).toEqual(expect.arrayContaining([...lookups.map(({ name }) => name), ...byAnyKey, ...nullAnswers]));
  expect(nullable).toHaveLength(new Set([...lookups.map(({ name }) => name), ...byAnyKey, ...nullAnswers]).size);
  expect(nullable.filter((name) => !nullAnswers.includes(name))).toEqual(fields.filter(hasDirective).map(({ name }) => name));
});

test.each(lookups)('$name of a missing record is one null beside the other fields', async (field) => {
  const place = field.args.find(namesRecord)!.name;
  const variables = argumentsFor(field, place, randomUUID(), randomUUID());
  const query = operationOf('query', field, variables).replace(/\}\s*$/, 'known: organization { id } }');
  const { status, body } = await caller(catalog.key).post('/graphql', { query, variables });
  expect([status, body.data]).toEqual([200, { [field.name]: null, known: { id: catalog.id } }]);
  expect(body.errors).toEqual([
    expect.objectContaining({ path: [field.name], extensions: expect.objectContaining({ code: 'NOT_FOUND' }) }),
  ]);
});

test('several records in one operation are each there or null', async () => {
  const [id] = await catalog.addProducts([{ sku: 'KNOWN', name: 'Lamp' }]);
  const { body } = await caller(catalog.key).post('/graphql', {
    query: `query ($id: ID!) { known: product(id: $id) { name } bySku: product(sku: "GONE") { name }
      brand(name: "Gone") { id } category(name: "Gone") { id } products { nodes { sku } } }`,
    variables: { id },
  });
  expect(body.data).toEqual({
    known: { name: 'Lamp' },
    bySku: null,
    brand: null,
    category: null,
    products: { nodes: [{ sku: 'KNOWN' }] },
  });
  expect(
    body.errors.map(({ path, extensions }: { path: string[]; extensions: { code: string } }) => [path[0], extensions.code]),
  ).toEqual(
    expect.arrayContaining([
      ['bySku', 'NOT_FOUND'],
      ['brand', 'NOT_FOUND'],
      ['category', 'NOT_FOUND'],
    ]),
  );
});

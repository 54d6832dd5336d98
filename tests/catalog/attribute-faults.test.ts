import { slugOf } from '../../schema/text.ts';
import { languageName, slugOf as suggestedSlug } from '../../web/dashboard/src/parts/naming.ts';
import { database } from '../support/seed.ts';
import { anId, type Catalog, openCatalog, unknownId } from './catalog.ts';

let catalog: Catalog;
let id: string;
const create = 'mutation ($input: NewAttribute!) { createAttribute(input: $input) { id } }';
const change =
  'mutation ($id: ID!, $input: AttributeChange!) { updateAttribute(id: $id, input: $input) { id name prompt isActive options } }';
const createSet = 'mutation ($name: String!, $ids: [ID!]!) { createAttributeSet(name: $name, attributeIds: $ids) { id } }';
const changeSet =
  'mutation ($id: ID!, $name: String, $ids: [ID!]) { updateAttributeSet(id: $id, name: $name, attributeIds: $ids) { id } }';

beforeAll(async () => {
  catalog = await openCatalog();
  id = (await catalog.graphql(create, { input: { name: 'Colour', slug: 'colour', type: 'select', options: ['Red'] } }))
    .createAttribute.id;
});

test.each([
  [{ name: 'x'.repeat(129) }, 'INVALID_INPUT'],
  [{ name: '' }, 'INVALID_INPUT'],
  [{ slug: 'Not a slug' }, 'INVALID_INPUT'],
  [{ slug: 'colour' }, 'CONFLICT'],
  [{ type: 'colour' }, 'INVALID_INPUT'],
  [{ options: ['a'] }, 'INVALID_INPUT'],
  [{ type: 'select', options: ['a', 'a'] }, 'INVALID_INPUT'],
  [{ constraints: { maxLength: -1 } }, 'INVALID_INPUT'],
  [{ constraints: { minLength: 5, maxLength: 4 } }, 'INVALID_INPUT'],
  [{ constraints: { minWords: 2, maxWords: 1 } }, 'INVALID_INPUT'],
  [{ type: 'number', constraints: { min: 0.5, max: 0.25 } }, 'INVALID_INPUT'],
  [{ type: 'multiselect', constraints: { minItems: 2, maxItems: 1 } }, 'INVALID_INPUT'],
  [
    {
      translations: [
        { language: 'de', name: 'Neu' },
        { language: 'de', name: 'Auch neu' },
      ],
    },
    'INVALID_INPUT',
  ],
  [{ translations: [{ language: 'Deutsch' }] }, 'INVALID_INPUT'],
])('an attribute with %j is rejected', async (input, code) => {
  expect(await catalog.refusal(create, { input: { name: 'New', slug: 'new', type: 'text', ...input } })).toMatchObject({ code });
});

test.each(['brand', 'category'])('a %s has no attribute of type date, as its results are documented without', async (subject) => {
  const input = { name: 'Founded', slug: `founded-${subject}`, type: 'date', subject };
  expect(await catalog.refusal(create, { input })).toMatchObject({ code: 'INVALID_INPUT' });
  expect(await catalog.graphql(create, { input: { ...input, type: 'number' } })).toMatchObject({ createAttribute: { id: anId } });
});

test.each(['name', 'prompt', 'isActive', 'options', 'constraints'])('null for %s changes nothing', async (field) => {
  const { updateAttribute } = await catalog.graphql(change, { id, input: { [field]: null } });
  expect(updateAttribute).toEqual({ id, name: 'Colour', prompt: '', isActive: true, options: ['Red'] });
});

test('a change to contradictory constraints is rejected', async () => {
  const refused = await catalog.refusal(change, { id, input: { constraints: { minItems: 3, maxItems: 2 } } });
  expect(refused).toMatchObject({ code: 'INVALID_INPUT', message: 'constraints.minItems must be at most constraints.maxItems' });
});

test('null at creation is the default', async () => {
  const nothing = { prompt: null, isActive: null, options: null, constraints: null, unit: null, categoryPrompt: null };
  expect(await catalog.graphql(create, { input: { name: 'Size', slug: 'size', type: 'text', ...nothing } })).toMatchObject({
    createAttribute: {},
  });
});

test('unknown attributes and sets are not found', async () => {
  for (const unknown of [unknownId, 'no-id']) {
    for (const refused of [
      catalog.refusal(change, { id: unknown, input: {} }),
      catalog.refusal('mutation ($id: ID!) { deleteAttribute(id: $id) { id } }', { id: unknown }),
      catalog.refusal('mutation ($id: ID!) { deleteAttributeSet(id: $id) { id } }', { id: unknown }),
      catalog.refusal(changeSet, { id: unknown, name: 'x' }),
      catalog.refusal(createSet, { name: 'Set', ids: [unknown] }),
    ])
      expect(await refused).toMatchObject({ code: 'NOT_FOUND' });
  }
});

test('names of sets are unique', async () => {
  await catalog.graphql(createSet, { name: 'Taken', ids: [] });
  const other = (await catalog.graphql(createSet, { name: 'Other', ids: [id] })).createAttributeSet.id;
  expect(await catalog.refusal(createSet, { name: 'Taken', ids: [] })).toMatchObject({ code: 'CONFLICT' });
  expect(await catalog.refusal(changeSet, { id: other, name: 'Taken' })).toMatchObject({ code: 'CONFLICT' });
});

test('concurrent changes of a set all succeed, and concurrent creations stay within the limit', async () => {
  const set = (await catalog.graphql(createSet, { name: 'Contested', ids: [id] })).createAttributeSet.id;
  const changes = await Promise.all([1, 2, 3, 4].map(() => catalog.graphql(changeSet, { id: set, ids: [id] })));
  expect(changes.map(({ updateAttributeSet }) => updateAttributeSet.id)).toEqual([set, set, set, set]);
  const full = await openCatalog();
  await database().query(
    `insert into catalog.attributes (id, organization_id, subject, name, slug, type)
     select gen_random_uuid(), $1, 'product', 'A' || n, 'a' || n, 'text' from generate_series(1, 999) n`,
    [full.organization.id],
  );
  const made = await Promise.allSettled(
    [1, 2, 3, 4].map((n) => full.graphql(create, { input: { name: 'B', slug: `b${n}`, type: 'text' } })),
  );
  expect(made.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected']);
});

test('attributes of another organization cannot be chosen', async () => {
  const other = await openCatalog();
  expect(await other.refusal(createSet, { name: 'Set', ids: [id] })).toMatchObject({ code: 'NOT_FOUND' });
  expect(await other.refusal(change, { id, input: { name: 'Mine' } })).toMatchObject({ code: 'NOT_FOUND' });
});

test('values outside the limits of their attributes are named, with the limit', async () => {
  const weight = { name: 'Weight', slug: 'weight', type: 'number', unit: 'kg', constraints: { max: 500 } };
  await catalog.graphql(create, { input: weight });
  const faults = async (values: object) =>
    (
      await catalog.graphql('query ($values: AttributeValues!) { attributeValueFaults(values: $values) { slug message } }', {
        values,
      })
    ).attributeValueFaults;
  const text = (value: unknown) => ({ attributeType: 'text', value });
  const number = (value: unknown) => ({ attributeType: 'number', value });
  expect(await faults({ weight: number(900), colour: { attributeType: 'select', value: 'Pink' }, other: text('free') })).toEqual(
    expect.arrayContaining([
      { slug: 'weight', message: 'Weight must be at most 500.' },
      { slug: 'colour', message: 'Colour must be one of Red.' },
    ]),
  );
  expect(await faults({ weight: number(5), colour: { attributeType: 'select', value: null } })).toEqual([]);
  // A value of another type is not one of the attribute.
  expect(await faults({ weight: text('heavy') })).toEqual([]);
  expect(
    await catalog.refusal(
      'query { attributeValueFaults(values: { weight: { attributeType: "number", value: "heavy" } }) { slug } }',
    ),
  ).toMatchObject({ code: 'INVALID_INPUT' });
});

test('the dashboard shows the tag of a language that has no name', () => {
  expect(['de', 'pt-BR', 'de-12'].map((tag) => languageName(tag, 'en'))).toEqual(['German', 'Brazilian Portuguese', 'de-12']);
});

test('the dashboard suggests the slugs that the service makes', () => {
  for (const name of ['Seat height', 'Größe (außen)', 'Łódź & Ærø', '日本', '-- a --', 'x'.repeat(200)])
    expect(suggestedSlug(name, 128)).toBe(slugOf(name, 128));
  expect(slugOf('Größe (außen)', 128)).toBe('grosse-aussen');
});

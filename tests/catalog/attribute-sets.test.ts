import { caller } from '../support/client.ts';
import { anId, type Catalog, ok, openCatalog } from './catalog.ts';

const createAttribute = 'mutation ($input: NewAttribute!) { createAttribute(input: $input) { id } }';
const createSet = 'mutation ($name: String!, $ids: [ID!]!) { createAttributeSet(name: $name, attributeIds: $ids) { id } }';
const attribute = async ({ graphql }: Catalog, input: object): Promise<string> =>
  (await graphql(createAttribute, { input })).createAttribute.id;
const sets = async ({ post }: Catalog) => (await post('/attribute-sets', {})).body.data.attributeSets;

test('without sets the list is empty', async () => {
  const { post } = await openCatalog();
  expect(await post('/attribute-sets', {})).toEqual(ok({ attributeSets: [] }));
  expect(await post('/attribute-sets')).toEqual(ok({ attributeSets: [] }));
});

test('sets come by name, attributes in display order, with exactly the documented fields', async () => {
  const catalog = await openCatalog();
  const weight = await attribute(catalog, {
    name: 'Weight',
    slug: 'weight',
    type: 'number',
    prompt: 'In kg',
    categoryPrompt: 'For tools: net',
  });
  const colour = await attribute(catalog, { name: 'Colour', slug: 'colour', type: 'select', options: ['Red'], isActive: false });
  await catalog.graphql(createSet, { name: 'Tools', ids: [weight, colour] });
  await catalog.graphql(createSet, { name: 'Furniture', ids: [] });
  const set = (name: string, attributeSetAttributes: object[]) => ({
    id: anId,
    name,
    organizationId: catalog.organization.id,
    attributeSetAttributes,
  });
  const first = {
    id: weight,
    name: 'Weight',
    slug: 'weight',
    type: 'number',
    prompt: 'In kg',
    categoryPrompt: 'For tools: net',
    isActive: true,
  };
  const second = { id: colour, name: 'Colour', slug: 'colour', type: 'select', prompt: '', categoryPrompt: null, isActive: false };
  const places = [
    { order: 0, attribute: first },
    { order: 1, attribute: second },
  ];
  expect(await catalog.post('/attribute-sets', {})).toEqual(ok({ attributeSets: [set('Furniture', []), set('Tools', places)] }));
});

test('a set can be renamed, given other attributes and deleted', async () => {
  const catalog = await openCatalog();
  const [a, b] = [
    await attribute(catalog, { name: 'A', slug: 'a', type: 'text' }),
    await attribute(catalog, { name: 'B', slug: 'b', type: 'date' }),
  ];
  const { id } = (await catalog.graphql(createSet, { name: 'Set', ids: [a, b] })).createAttributeSet;
  const change =
    'mutation ($id: ID!, $name: String, $ids: [ID!]) { updateAttributeSet(id: $id, name: $name, attributeIds: $ids) { id } }';
  const slugs = async () =>
    (await sets(catalog)).map((set: { name: string; attributeSetAttributes: { attribute: { slug: string } }[] }) => [
      set.name,
      ...set.attributeSetAttributes.map((place) => place.attribute.slug),
    ]);
  await catalog.graphql(change, { id, ids: [b, a] });
  expect(await slugs()).toEqual([['Set', 'b', 'a']]);
  await catalog.graphql(change, { id, name: 'Renamed' });
  expect(await slugs()).toEqual([['Renamed', 'b', 'a']]);
  await catalog.graphql(change, { id, name: null, ids: null });
  expect(await slugs()).toEqual([['Renamed', 'b', 'a']]);
  await catalog.graphql('mutation ($id: ID!) { deleteAttribute(id: $id) { id deleted } }', { id: b });
  expect(await slugs()).toEqual([['Renamed', 'a']]);
  expect(await catalog.graphql('mutation ($id: ID!) { deleteAttributeSet(id: $id) { id deleted } }', { id })).toEqual({
    deleteAttributeSet: { id, deleted: true },
  });
  expect(await slugs()).toEqual([]);
});

test('a member may read but not write sets', async () => {
  const { organization } = await openCatalog();
  const { post, refusal } = caller((await organization.addMember('member')).key);
  expect(await post(`/api/${organization.slug}/attribute-sets`)).toMatchObject(ok({ attributeSets: [] }));
  expect(await refusal(createSet, { name: 'Set', ids: [] })).toMatchObject({ code: 'FORBIDDEN' });
});

test('an admin writes sets', async () => {
  const { organization } = await openCatalog();
  const { graphql } = caller((await organization.addMember('admin')).key);
  expect(await graphql(createSet, { name: 'Set', ids: [] })).toEqual({ createAttributeSet: { id: anId } });
});

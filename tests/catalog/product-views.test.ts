import { catalog } from '../../subgraphs/catalog/catalog.ts';
import { catalogTables } from '../../subgraphs/catalog/tables.ts';
import { openSubgraph } from '../support/subgraph.ts';

const graph = await openSubgraph(catalog, catalogTables);
afterAll(() => graph.close());

const SAVE = 'mutation ($input: ProductViewInput!) { saveProductView(input: $input) { id name isShared isOwn settings } }';
const LIST = '{ productViews { id name isShared isOwn settings owner { id } } }';
const DELETE = 'mutation ($id: ID!) { deleteProductView(id: $id) { id deleted } }';

async function open() {
  const organization = await graph.seed();
  const of = (key: string, userId: string) => {
    const { ask, refusal } = graph.caller(key);
    return {
      userId,
      save: async (name: string, input: object = {}) =>
        (await ask(SAVE, { input: { name, isShared: false, settings: { brand: 'Norrvik' }, ...input } })).saveProductView,
      refusal: (input: object) => refusal(SAVE, { input: { name: 'V', isShared: false, settings: {}, ...input } }),
      names: async () => (await ask(LIST)).productViews.map(({ name }: { name: string }) => name),
      list: async () => (await ask(LIST)).productViews,
      remove: async (id: string) => (await ask(DELETE, { id })).deleteProductView,
      cannotRemove: (id: string) => refusal(DELETE, { id }),
    };
  };
  const member = await organization.addMember('member');
  return { id: organization.id, admin: of(organization.key, organization.owner.id), member: of(member.key, member.id) };
}

test('a view belongs to its user, is replaced by its name, and others see it only when it is shared', async () => {
  const { admin, member } = await open();
  const first = await member.save('Lamps');
  expect(first).toMatchObject({ name: 'Lamps', isShared: false, isOwn: true, settings: { brand: 'Norrvik' } });
  expect(await admin.names()).toEqual([]);
  const second = await member.save(' LAMPS ', { isShared: true, settings: { columns: 'sku,@color', by: 'name' } });
  expect(second).toMatchObject({ id: first.id, name: 'LAMPS', settings: { columns: 'sku,@color', by: 'name' } });
  await admin.save('Lamps');
  expect(await admin.list()).toMatchObject([
    { name: 'LAMPS', isOwn: false, isShared: true, owner: { id: member.userId }, settings: { by: 'name' } },
    { name: 'Lamps', isOwn: true, settings: { brand: 'Norrvik' } },
  ]);
  expect(await member.names()).toEqual(['LAMPS']);
});

test('users delete their own views, and admins also shared ones; another organization finds none', async () => {
  const [{ admin, member }, other] = [await open(), await open()];
  const [own, shared, ofAdmin] = [
    await member.save('Own'),
    await member.save('Shared', { isShared: true }),
    await admin.save('Ours', { isShared: true }),
  ];
  const notFound = 'NOT_FOUND: View not found';
  expect(await member.cannotRemove(ofAdmin.id)).toBe(notFound);
  expect(await admin.cannotRemove(own.id)).toBe(notFound);
  expect(await other.admin.cannotRemove(shared.id)).toBe(notFound);
  expect(await member.cannotRemove('none')).toBe(notFound);
  expect(await admin.remove(shared.id)).toEqual({ id: shared.id, deleted: true });
  await member.remove(own.id);
  expect(await member.names()).toEqual(['Ours']);
  expect(await other.member.names()).toEqual([]);
});

test('views are limited in number and size, and only texts are stored', async () => {
  const { id, member } = await open();
  const refused = async (settings: unknown) => (await member.refusal({ settings }))?.split(':')[0];
  expect(await refused({ columns: 7 })).toBe('INVALID_INPUT');
  expect(await refused({ 'not a name': 'x' })).toBe('INVALID_INPUT');
  expect(await refused({ columns: 'x'.repeat(5_001) })).toBe('INVALID_INPUT');
  expect(await refused({ columns: 'a\0b' })).toBe('INVALID_INPUT');
  expect(await refused(Object.fromEntries(Array.from({ length: 41 }, (_, at) => [`a${'b'.repeat(at)}`, ''])))).toBe(
    'INVALID_INPUT',
  );
  expect(await member.refusal({ name: ' ' })).toMatch(/^INVALID_INPUT/);
  await graph.services.pool.query(
    `insert into catalog.product_views (id, organization_id, owner_id, name, is_shared, settings)
     select gen_random_uuid(), $1, case when n <= 100 then $2 else gen_random_uuid() end, 'View ' || n, n > 100, '{}' from generate_series(1, 300) n`,
    [id, member.userId],
  );
  expect(await member.refusal({ name: 'One more' })).toBe('UNPROCESSABLE: A user has at most 100 views of the list of products.');
  expect(await member.refusal({ name: 'View 1', isShared: true })).toBe(
    'UNPROCESSABLE: An organization has at most 200 shared views.',
  );
  await member.save('View 1');
  expect(await member.names()).toHaveLength(300);
});

import { type Catalog, invalid, openCatalog } from '../catalog/catalog.ts';
import { database } from '../support/seed.ts';
import { csv } from './files.ts';
import { form, sendRaw } from './raw.ts';

let catalog: Catalog;
beforeEach(async () => {
  catalog = await openCatalog();
});

const kept = async (): Promise<string[]> => {
  const { rows } = await database().query('select name from catalog.files where organization_id = $1', [catalog.organization.id]);
  return rows.map(({ name }) => name);
};
const send = (naming: string) => sendRaw(catalog, form(csv('SKU\nA-1\n'), naming));

test.each([
  ['a name in any script', `filename*=utf-8''%E4%BB%B7%E6%A0%BC.csv`, '价格.csv'],
  ['control characters of old encodings', `filename*=utf-8''Preisliste%C2%84.csv`, 'Preisliste\u0084.csv'],
  ['a path', 'filename="../../../etc/list.csv"', 'list.csv'],
  ['a path of Windows', 'filename="C:\\\\temp\\\\list.csv"', 'list.csv'],
  ['an encoded path', `filename*=utf-8''..%2F..%2Fetc%2Flist.csv`, 'list.csv'],
  ['half of a surrogate pair', `filename*=utf-8''%ED%A0%80.csv`, '\ufffd\ufffd\ufffd.csv'],
  ['more than 255 characters', `filename="${'x'.repeat(300)}.csv"`, `${'x'.repeat(251)}.csv`],
  ['more than 255 units of emoji', `filename*=utf-8''a${'%F0%9F%92%A1'.repeat(140)}.csv`, `${'💡'.repeat(125)}.csv`],
  ['quotes and markup', `filename="a\\"b<i>'; --.csv"`, `a"b<i>'; --.csv`],
])('%s is stored as a plain name', async (_, naming, name) => {
  expect(await send(naming)).toMatchObject({ status: 200, body: { success: true } });
  expect(await kept()).toEqual([name]);
});

test.each([
  ['NUL', `filename*=utf-8''a%00b.csv`],
  ['an escape', `filename*=utf-8''a%1B[31m.csv`],
])('a name with %s is rejected', async (_, naming) => {
  expect(await send(naming)).toEqual(invalid('names must not contain control characters'));
  expect(await kept()).toEqual([]);
});

test('a file without a name, or with one of several lines, is rejected', async () => {
  expect(await send('x=y')).toEqual(invalid('files must be sent as files, with their names'));
  expect(await send(`filename*=utf-8''a%0D%0Ab.csv`)).toEqual(invalid('files must have at least 1 entry'));
  expect(await kept()).toEqual([]);
});

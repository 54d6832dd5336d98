import { definitionsIn, diffDefinitions } from '../../../gateway/registry/schema-diff.ts';
import { schemaChanges } from '../../../gateway/usage/schema-changes.ts';
import { schemaOf } from '../../../gateway/usage/schema-check.ts';

const before = `
"""The root."""
type Query { product(id: ID!, sort: Sort = NAME): Product  found: [Found!]! }
enum Sort { NAME PRICE }
interface Node { id: ID! }
union Found = Product | Brand
input Filter { brand: String  sort: Sort = NAME  more: Filter }
type Product implements Node {
  id: ID!
  name: String
  old: String @deprecated
}
type Brand implements Node { id: ID! }
directive @show(if: Boolean) on FIELD
`;
const after = before
  .replace('old: String @deprecated', 'price(in: Currency = EUR): Float')
  .replace('name: String', '"""As shown."""\n  name: String!')
  .replace('union Found = Product | Brand', 'union Found = Product | Brand | Shop')
  .replace('brand: String', 'brand: String @deprecated(reason: "Use more.")')
  .replace('sort: Sort = NAME', 'sort: Sort = PRICE')
  .concat('type Shop { id: ID! } enum Currency { EUR }');

const changed = (one: string, other: string) => {
  const [old, now] = [definitionsIn(one), definitionsIn(other)];
  return [...new Set([...Object.keys(old), ...Object.keys(now)])]
    .sort()
    .map((name) => ({ name, before: old[name] ?? null, after: now[name] ?? null }))
    .filter((each) => each.before !== each.after);
};

test('all changes are listed, those that break first', () => {
  const { changes, others } = diffDefinitions(changed(before, after));
  expect(others).toBe(0);
  expect(changes.map(({ message, isBreaking }) => `${isBreaking ? 'breaking: ' : ''}${message}`).sort()).toEqual(
    [
      'breaking: Product.old is removed',
      'Filter.brand is deprecated: Use more.',
      'Product.name has the type String! instead of String',
      'Product.price is added',
      'Query.product(sort:) has the type Sort = "PRICE" instead of Sort = "NAME"',
      'Shop is added to the union Found',
      'The description of Product.name changes',
      'The type Currency is added',
      'The type Shop is added',
    ].sort(),
  );
  expect(changes[0]!.isBreaking).toBe(true);
});

test('the changed definitions alone have the changes of the whole schemas', () => {
  const edits: [string, string][] = [
    ['name: String', 'name: Int'],
    ['| Brand', ''],
    ['implements Node { id: ID! }', '{ id: ID!  node: Node }'],
    ['NAME PRICE', 'NAME PRICE STOCK'],
    ['enum Sort', 'scalar Sort2 enum Sort'],
    ['more: Filter', 'more: [Filter!]! = []'],
    ['(if: Boolean)', '(if: Boolean!)'],
    ['directive @show(if: Boolean) on FIELD', ''],
    ['id: ID!, ', ''],
    ['The root.', 'The beginning.'],
    ['found: [Found!]!', 'found: [Node!]'],
  ];
  for (const [from, to] of edits) {
    for (const [one, other] of [
      [before, before.replace(from, to)],
      [after.replace(from, to), before],
    ] as const) {
      const whole = schemaChanges(schemaOf(one), schemaOf(other)).map(({ message }) => message);
      const { changes } = diffDefinitions(changed(one, other));
      expect(changes.map(({ message }) => message).sort()).toEqual(whole.sort());
      expect(whole).not.toEqual([]);
    }
  }
});

test('the text shows changed lines with those around them', () => {
  const long = (field: string) =>
    `type Query {\n${Array.from({ length: 40 }, (_, at) => `  f${at}: Int`).join('\n')}\n  ${field}: Int\n}`;
  expect(diffDefinitions(changed(long('old'), long('now'))).text).toBe(
    '@@ Query @@\n …\n   f37: Int\n   f38: Int\n   f39: Int\n-  old: Int\n+  now: Int\n }\n',
  );
  expect(diffDefinitions([]).text).toBe('');
});

test('huge schemas are compared in bounded time, and the rest is counted', () => {
  const huge = (prefix: string) => `type Query { ${Array.from({ length: 100_000 }, (_, at) => `${prefix}${at}: Int\n`).join('')} }`;
  const many = (field: string) => Array.from({ length: 20_000 }, (_, at) => `type T${at} { ${field}: Int }\n`).join('');
  const all = changed(huge('a') + many('a'), huge('b') + many('b'));
  const started = performance.now();
  const { changes, text, others } = diffDefinitions(all);
  expect(performance.now() - started).toBeLessThan(5_000);
  expect(others).toBeGreaterThan(15_000);
  expect(changes.length).toBeGreaterThan(1_000);
  expect(text.length).toBeLessThan(500_000);
});

import { sources, textOf } from './files.ts';

/** Rules with a single implementation. The gateway has its own copy, because it is a separate package. */
const rules: [name: string, home: string, written: RegExp][] = [
  ['plain objects', 'schema/json.ts', /!== null && !Array\.isArray|=== null \|\| Array\.isArray/],
  ['storable text', 'schema/text.ts', /isWellFormed\(\)|replaceAll\('\\0', ''\)/],
  ['unknown ids', 'platform/database/find.ts', /\{ missingIds \}/],
];

test.each(rules)('the rule of %s is in %s alone', (_, home, written) => {
  const product = sources.filter((file) => !/^(gateway|tests|bench)\//.test(file));
  expect(product.filter((file) => written.test(textOf(file)))).toEqual([home]);
});

test('only the clock of the database supplies times that are stored or compared with stored times', () => {
  const product = sources.filter((file) => /^(platform|subgraphs)\//.test(file));
  expect(product.filter((file) => /\bDate\.now\(\)|\bnew Date\(\)/.test(textOf(file)))).toEqual(['platform/database/clock.ts']);
});

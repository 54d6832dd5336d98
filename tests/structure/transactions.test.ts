import { sources, textOf } from './files.ts';

test('transactions begin only in tracked code', () => {
  const begun = /\.transactional\(|\bem\.begin\(|query\(['"`](begin|start transaction)\b/i;
  const product = sources.filter((file) => !/^(tests|bench)\/|\/migrations\//.test(file));
  const beginning = product.filter((file) => begun.test(textOf(file))).sort();
  expect(beginning).toEqual(['platform/database/transactions.ts', 'platform/scope/index.ts']);
  for (const file of beginning) expect(textOf(file)).toContain('trackTransaction');
});

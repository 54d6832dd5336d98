import { color, seedCatalog } from '../support/enrichment.ts';
import { codeOf, runScript } from './page.ts';

test('the code of the GraphQL page runs', async () => {
  const { key, slug } = await seedCatalog([color]);
  const script = [...codeOf('js'), ...codeOf('js graphql-ws')].join('\n');
  const { code, lines } = await runScript(`graphql-page-${slug}`, script, { CATALOG_URL: process.env.TEST_URL!, CATALOG_KEY: key });
  expect([code, lines]).toEqual([
    0,
    [
      `organization ${slug}`,
      'NOT_FOUND: Product not found',
      'product DOC-0',
      'product DOC-1',
      'product DOC-2',
      'costs at most 3',
      'job ended, sequence true',
      'uploaded colors.csv',
      'reviewed without failures true',
    ],
  ]);
});

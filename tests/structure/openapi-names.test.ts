import { textOf } from './files.ts';

const documents = ['openapi', 'openapi-site-content'].map((name) => JSON.parse(textOf(`schema/${name}.json`)));
type Operation = { operationId: string; description?: string };
const operationsOf = (document: (typeof documents)[number]): Operation[] =>
  Object.values(document.paths as Record<string, Record<string, Operation>>).flatMap((each) => Object.values(each));

test.each(documents)('the operations of $info.title have short, unique ids', (document) => {
  const ids = operationsOf(document).map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !/^[a-z][A-Za-z]{3,40}$/.test(id))).toEqual([]);
});

test('records, jobs, items and pages of the API have names', () => {
  const [main, site] = documents;
  const names = [
    'Product',
    'AiImportJob',
    'ProductEnrichmentJob',
    'ProductEnrichmentJobItem',
    'Pagination',
    'Lead',
    'Ticket',
    'CatalogFailure',
  ];
  expect(Object.keys(main.components.schemas)).toEqual(
    expect.arrayContaining([...names, 'ListProductsResult', 'CreateProductResult']),
  );
  expect(Object.keys(site.components.schemas)).toEqual(expect.arrayContaining(['Site', 'Page', 'Post', 'ListSitesResult']));
  for (const { components } of documents)
    expect(Object.keys(components.schemas).filter((name) => !/^[A-Z][A-Za-z]+$/.test(name))).toEqual([]);
});

test('lists by page say that pages move while rows are inserted', () => {
  const list = operationsOf(documents[0]).find(({ operationId }) => operationId === 'listProducts');
  expect(list?.description).toMatch(/a row can be on two pages or on none.* cursor `after`/);
});

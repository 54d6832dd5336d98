import { restAdapter } from '../../rest-adapter/adapter.ts';
import { table } from '../../rest-adapter/route.ts';
import { catalog } from '../../rest-adapter/surfaces.ts';
import { admitted, prepare, schema } from './engine-face.ts';

describe('an error in a route table stops the start and names the route', () => {
  const start =
    (graphql: string, key: `POST /${string}` = 'POST /x') =>
    () =>
      restAdapter({
        tables: [table(catalog, { [key]: { summary: '', graphql, example: {} } })],
        schema,
        prepare,
        admit: async () => admitted,
        listener: 'main',
        version: '1',
      });

  test.each([
    ['{ nothing }', 'POST /x', /^POST \/api\/\{organization\}\/x: Cannot query field "nothing"/],
    ['{', 'POST /x', /^POST \/api\/\{organization\}\/x: Syntax Error/],
    ['{ a: empty { seen } b: empty { seen } }', 'POST /x', /one root field/],
    ['{ empty { seen } }', 'POST /x/{id}', /no variable reads \{id\}/],
  ] as const)('%s at %s', (graphql, key, message) => {
    expect(start(graphql, key)).toThrow(message);
  });
});

test('a wrong verb does not compile', () => {
  // @ts-expect-error no such verb
  expect(table(catalog, { 'FETCH /x': { summary: '', graphql: '', example: {} } })).toBeDefined();
});

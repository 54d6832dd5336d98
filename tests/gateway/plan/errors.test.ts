import type { Source, SourceResult } from 'compiled-gateway';
import { parse } from 'graphql';
import { anyone, ask, federate, gatewayOf } from '../support/federation.ts';
import { shop } from '../support/shop.ts';

const federation = federate(shop);
const gateway = gatewayOf(federation);

/** The reviews subgraph with responses from the test. */
const reviews = (execute: () => SourceResult | Promise<SourceResult>): { reviews: Source } => ({
  reviews: { execute, subscribe: async () => execute() },
});

test('an error of an entity appears at every path of the entity', async () => {
  const { errors, data } = await ask(gateway, '{ shelf { ... on Book { rating } } books { id rating } }');
  expect(errors).toEqual([
    { message: 'No ratings', path: ['shelf', 3, 1, 'rating'], extensions: { code: 'CONFLICT' } },
    { message: 'No ratings', path: ['books', 2, 'rating'], extensions: { code: 'CONFLICT' } },
  ]);
  expect(data).toMatchObject({ books: [{ rating: 4.5 }, { rating: 4.5 }, { id: 'b3', rating: null }, { id: 'b4', rating: null }] });
});

test('a null propagates to the nearest nullable field', async () => {
  expect(await ask(gateway, '{ toys { id rating } author { penName } }')).toEqual({
    data: { toys: [{ id: 't1', rating: 3 }, null, null], author: { penName: 'A.' } },
    errors: [{ message: 'Too young', path: ['toys', 2, 'rating'], extensions: { code: 'CONFLICT' } }],
  });
});

test('a null that propagates to the root makes the data null, and the error has the path of its origin', async () => {
  const silent = gatewayOf(federation, { sources: reviews(() => ({ data: { _entities: [{}] } })) });
  expect(await ask(silent, '{ author(id: "a1") { id reviews { id } } maybe: __typename }')).toEqual({
    data: { author: { id: 'a1', reviews: null }, maybe: 'Query' },
  });
  const nothing = gatewayOf(federation, {
    sources: { catalog: { execute: () => ({ data: { author: {} } }), subscribe: async () => ({}) } },
  });
  expect(await ask(nothing, '{ author { id penName } }')).toEqual({
    data: null,
    errors: [
      {
        message: 'Cannot return null for non-nullable field Author.id.',
        path: ['author', 'id'],
        extensions: { code: 'INTERNAL_SERVER_ERROR' },
      },
    ],
  });
});

test.each<[string, () => SourceResult | Promise<SourceResult>]>([
  [
    'throws',
    () => {
      throw new Error('connect ECONNREFUSED 10.0.0.7:5432');
    },
  ],
  ['rejects', async () => Promise.reject(new Error('password=hunter2'))],
  ['answers nothing', () => undefined as never],
  ['answers text', () => 'oops' as never],
  ['answers no entities', () => ({ data: {} })],
  ['answers too few entities', () => ({ data: { _entities: [] } })],
  ['answers errors that are no list', () => ({ data: null, errors: { length: 1 } as never })],
])('a subgraph that %s is UNAVAILABLE, and the other data is returned', async (_, execute) => {
  const faults: string[] = [];
  const broken = gatewayOf(federation, { sources: reviews(execute), onFault: (subgraph) => faults.push(subgraph) });
  expect(await ask(broken, '{ book(id: "b1") { name rating } }')).toEqual({
    data: { book: { name: 'Graphs', rating: null } },
    errors: [
      {
        message: 'The reviews service cannot be reached. Try again shortly.',
        path: ['book'],
        extensions: { code: 'UNAVAILABLE' },
      },
    ],
  });
});

test('stack traces of subgraphs are removed', async () => {
  const talkative = gatewayOf(federation, {
    sources: reviews(() => ({
      data: null,
      errors: [{ message: 'No', extensions: { code: 'FORBIDDEN', stacktrace: ['at secret.ts'] } }],
    })),
  });
  expect(await ask(talkative, '{ topReviews { id } }')).toEqual({
    data: { topReviews: null },
    errors: [{ message: 'No', path: ['topReviews'], extensions: { code: 'FORBIDDEN' } }],
  });
});

test.each<[string, unknown, object]>([
  ['null', null, { message: 'The request failed', path: ['topReviews'] }],
  ['text', 'No', { message: 'The request failed', path: ['topReviews'] }],
  ['a path that is text', { message: 'No', path: 'topReviews' }, { message: 'No', path: ['topReviews'] }],
  ['a message that is an object', { message: { a: 1 }, extensions: 'No' }, { message: 'The request failed', path: ['topReviews'] }],
])('an error that is not as GraphQL defines it hides no other data: %s', async (_, error, shown) => {
  const careless = gatewayOf(federation, { sources: reviews(() => ({ data: null, errors: [error as never] })) });
  expect(await ask(careless, '{ topReviews { id } book(id: "b1") { name } }')).toEqual({
    data: { topReviews: null, book: { name: 'Graphs' } },
    errors: [{ ...shown, extensions: { code: 'INTERNAL_SERVER_ERROR' } }],
  });
});

test('an error path ends where the selection ends', async () => {
  const strict = gatewayOf(federation, {
    sources: {
      catalog: {
        execute: () => ({ data: { book: null }, errors: [{ message: 'No', path: ['book', 'id'] }] }),
        subscribe: async () => ({}),
      },
    },
  });
  const { errors } = await ask(strict, '{ book(id: "b1") { rating } }');
  expect(errors).toEqual([{ message: 'No', path: ['book'], extensions: { code: 'INTERNAL_SERVER_ERROR' } }]);
});

test('no more fetches run after the caller disconnects', async () => {
  const seen: never[] = [];
  const { errors } = await gatewayOf(federation, {}, seen)
    .prepare(parse('mutation { rename(input: { id: "b1" }) { id } }'))
    .execute({}, { ...anyone, signal: AbortSignal.abort() });
  expect(errors).toHaveLength(1);
  expect(seen).toEqual([]);
});

test('values that violate the schema are removed', async () => {
  const lying = gatewayOf(federation, {
    sources: {
      catalog: {
        execute: () => ({
          data: { books: [{ __typename: 'Book', id: 'b1', pages: 'many', kind: 'SECRET', name: 7, price: 1.5 }] },
        }),
        subscribe: async () => ({}),
      },
    },
  });
  expect(await ask(lying, '{ books { pages kind name price } }')).toEqual({
    data: { books: [{ pages: null, kind: null, name: null, price: null }] },
  });
});

test('an object of a type that cannot occur at its place is null', async () => {
  const lying = gatewayOf(federation, {
    sources: {
      catalog: {
        execute: () => ({
          data: {
            shelf: [
              [
                { __typename: 'Query', id: '1' },
                { __typename: 'Author', id: 'a1', name: 'Ada' },
              ],
            ],
            books: [{ __typename: 'Book', id: 'b1' }],
          },
        }),
        subscribe: async () => ({}),
      },
    },
  });
  expect(await ask(lying, '{ shelf { id name price } books { id } }')).toEqual({
    data: { shelf: [[null, null]], books: [{ id: 'b1' }] },
  });
});

test('JSON passes unchanged, whatever its keys', async () => {
  const extra = JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"a": [null]}}');
  const json = gatewayOf(federation, {
    sources: {
      catalog: {
        execute: () => ({ data: { toys: [{ __typename: 'Toy', id: 't1', constructor: 't1', extra }] } }),
        subscribe: async () => ({}),
      },
    },
  });
  const { data } = await ask(json, '{ toys { extra constructor: id reviews { id } } }');
  expect(JSON.stringify((data!.toys as object[])[0])).toContain(JSON.stringify(extra));
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

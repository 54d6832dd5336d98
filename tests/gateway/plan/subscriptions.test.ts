import type { RequestContext, Source, SourceResult } from 'compiled-gateway';
import { parse } from 'graphql';
import { anyone, drain, federate, gatewayOf, plain } from '../support/federation.ts';
import { shop } from '../support/shop.ts';

const federation = federate(shop);
const gateway = gatewayOf(federation);

async function subscribe(text: string, { on = gateway, context = anyone as RequestContext, variables = {} } = {}) {
  const result = await on.prepare(parse(text)).subscribe(variables, context);
  if (!(Symbol.asyncIterator in result)) throw new Error(JSON.stringify(result));
  return result[Symbol.asyncIterator]();
}

/** Subscriptions of the reviews subgraph with events from the test. */
function hose() {
  const log: string[] = [];
  const queue: SourceResult[] = [];
  let wake = () => {};
  let fails: Error | undefined;
  const source: Source = {
    execute: () => ({ data: { _entities: [] } }),
    subscribe: async () => ({
      [Symbol.asyncIterator]: () => ({
        async next() {
          while (queue.length === 0 && !fails) await new Promise<void>((resolve) => (wake = resolve));
          if (fails) throw fails;
          return { done: false, value: queue.shift()! };
        },
        async return() {
          log.push('unsubscribed');
          return { done: true, value: undefined };
        },
      }),
    }),
  };
  const push = (event: SourceResult) => {
    queue.push(event);
    wake();
  };
  const emit = (id: string) => push({ data: { reviewed: { __typename: 'Review', id, item: { __typename: 'Book', id: 'b1' } } } });
  const breakDown = () => {
    fails = new Error('socket hang up');
    wake();
  };
  return { on: gatewayOf(federation, { sources: { reviews: source } }), log, push, emit, breakDown };
}

test('events may select fields of other subgraphs', async () => {
  const events = await subscribe(
    'subscription ($id: ID) { reviewed(id: $id) { id author { penName } item { id name ... on Book { inStock } } } }',
  );
  const all = await drain({ [Symbol.asyncIterator]: () => events });
  expect(all).toEqual([
    { data: { reviewed: { id: 'r1', author: { penName: 'A.' }, item: { id: 'b1', name: 'Graphs', inStock: true } } } },
    {
      data: { reviewed: { id: 'r2', author: null, item: { id: 't1', name: 'Car' } } },
      errors: [{ message: 'No pen name', path: ['reviewed', 'author', 'penName'], extensions: { code: 'CONFLICT' } }],
    },
    { data: { reviewed: { id: 'r3', author: null, item: { id: 'b3', name: null, inStock: false } } } },
  ]);
});

test('variables and conditions apply to every event', async () => {
  const events = await subscribe('subscription ($id: ID, $with: Boolean!) { reviewed(id: $id) { id stars @include(if: $with) } }', {
    variables: { id: 'r2', with: false },
  });
  expect(plain(await events.next())).toEqual({ done: false, value: { data: '{"reviewed":{"id":"r2"}}' } });
  expect(await events.next()).toEqual({ done: true, value: undefined });
});

test('a rejection by the subgraph is a single result', async () => {
  const result = await gateway.prepare(parse('subscription { refused { id } }')).subscribe({}, anyone);
  expect(plain(result)).toEqual({
    data: 'null',
    errors: [{ message: 'Not for you', path: ['refused'], extensions: { code: 'FORBIDDEN' } }],
  });
});

test('invalid variables are rejected before the subscription starts', async () => {
  const result = await gateway.prepare(parse('subscription ($id: ID) { reviewed(id: $id) { id } }')).subscribe({ id: {} }, anyone);
  expect(plain(result)).toEqual({ errors: [{ message: 'id must be a string', extensions: { code: 'INVALID_INPUT' } }] });
});

test('a subscription cannot be executed', async () => {
  const result = await gateway.prepare(parse('subscription { reviewed { id } }')).execute({}, anyone);
  expect(result.errors![0]!.message).toBe('A subscription cannot be executed as a query');
});

test('returning unsubscribes the source, even while an event is awaited', async () => {
  const { on, log, emit } = hose();
  const events = await subscribe('subscription { reviewed { id } }', { on });
  emit('r1');
  expect(plain(await events.next())).toEqual({ done: false, value: { data: '{"reviewed":{"id":"r1"}}' } });
  const waiting = events.next();
  await events.return!();
  expect(await waiting).toEqual({ done: true, value: undefined });
  expect(await events.next()).toEqual({ done: true, value: undefined });
  expect(log).toEqual(['unsubscribed']);
});

test('the signal ends the stream and unsubscribes the source', async () => {
  const { on, log } = hose();
  const controller = new AbortController();
  const events = await subscribe('subscription { reviewed { id } }', { on, context: { headers: {}, signal: controller.signal } });
  const waiting = events.next();
  controller.abort();
  expect(await waiting).toEqual({ done: true, value: undefined });
  expect(log).toEqual(['unsubscribed']);
});

test('a failing stream ends with an error', async () => {
  const { on, breakDown } = hose();
  const events = await subscribe('subscription { reviewed { id } }', { on });
  const waiting = events.next();
  breakDown();
  expect(plain(await waiting)).toEqual({
    done: false,
    value: {
      data: 'null',
      errors: [{ message: 'The reviews service cannot be reached. Try again shortly.', extensions: { code: 'UNAVAILABLE' } }],
    },
  });
  expect(await events.next()).toEqual({ done: true, value: undefined });
});

test('an event that is no GraphQL result is an error, and the stream continues', async () => {
  const { on, push, emit } = hose();
  const events = await subscribe('subscription { reviewed { id } }', { on });
  for (const wrong of ['oops', { errors: 'oops' }, {}]) push(wrong as SourceResult);
  push({ data: null, errors: [null as never] });
  emit('r1');
  const unavailable = { message: 'The reviews service cannot be reached. Try again shortly.', extensions: { code: 'UNAVAILABLE' } };
  for (let at = 0; at < 3; at++) expect(plain((await events.next()).value)).toEqual({ data: 'null', errors: [unavailable] });
  const failed = { message: 'The request failed', extensions: { code: 'INTERNAL_SERVER_ERROR' } };
  expect(plain((await events.next()).value)).toEqual({ data: 'null', errors: [failed] });
  expect((await events.next()).value).toEqual({ data: '{"reviewed":{"id":"r1"}}' });
  await events.return!();
});

import type { Answer } from 'compiled-gateway';
import { parse } from 'graphql';
import { httpSource } from '../../../gateway/sources/http-source.ts';
import { anyone, federate, gatewayOf, read } from '../support/federation.ts';
import { serve } from '../support/serve.ts';

const closing: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A manual clock. Its ticks are numbered from 1; `beats` have no numbers. */
function clock() {
  let now = 0;
  const asked: unknown[] = [];
  const waiting = new Set<() => void>();
  async function* from(after: number) {
    for (let sent = after; ; ) {
      if (sent === now) {
        const { promise, resolve } = Promise.withResolvers<void>();
        waiting.add(resolve);
        await promise;
      } else {
        sent += 1;
        yield { sequence: sent, name: `tick ${sent}`, id: String(sent) };
      }
    }
  }
  const federation = federate([
    {
      name: 'clock',
      typeDefs: `type Query { a: Int }
        type Tick @key(fields: "id") { id: ID!  sequence: Int!  name(of: Int): String! }
        type Subscription { ticks(after: Int! = 0, of: Int): Tick!  beats: Tick!  refused(after: Int): Tick }`,
      resolvers: {
        Subscription: {
          ticks: {
            subscribe(_: unknown, { after }: { after: number }) {
              asked.push(after);
              return from(after);
            },
            resolve: (tick: object) => tick,
          },
          beats: {
            subscribe() {
              asked.push('beats');
              return from(now);
            },
            resolve: (tick: object) => tick,
          },
          refused: {
            subscribe() {
              if (asked.push('refused') > 1) throw new Error('Not any more');
              return from(now);
            },
            resolve: (tick: object) => tick,
          },
        },
      } as never,
    },
    {
      name: 'words',
      typeDefs: 'type Query { b: Int } type Tick @key(fields: "id") { id: ID!  word: String }',
      resolvers: { Tick: { word: ({ id }: { id: string }) => `word ${id}` } } as never,
    },
  ]);
  const tick = (times = 1) => {
    now += times;
    for (const wake of waiting) wake();
    waiting.clear();
  };
  return { federation, asked, tick };
}

async function running({ limit = 20_000, keepAlive = 10_000 } = {}) {
  const { federation, ...hands } = clock();
  const server = await serve(federation.schemas.clock!);
  closing.push(() => server.close());
  const source = httpSource({ url: server.url, keepAlive, reconnect: { limit, steady: 5_000, shortest: 10, longest: 50 } });
  closing.push(() => source.close!());
  const gateway = gatewayOf(federation, { sources: { clock: source } });
  const subscribe = async (text: string, variables = {}) => {
    const events = await gateway.prepare(parse(text)).subscribe(variables, anyone);
    const iterator = (events as AsyncIterable<Answer>)[Symbol.asyncIterator]();
    closing.push(() => iterator.return!());
    return {
      async next() {
        const { done, value } = await iterator.next();
        return done ? undefined : read(value);
      },
    };
  };
  return { ...hands, ...server, federation, subscribe };
}

const until = async (fact: () => boolean) => {
  for (let tries = 0; !fact(); tries += 1) {
    if (tries > 1_000) throw new Error('It never came true');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};

test('numbered events resume after a lost connection, without gaps or duplicates', async () => {
  const { subscribe, asked, tick, drop } = await running();
  const events = await subscribe('subscription { mine: ticks { name word } }');
  const names = [];
  for (let round = 0; round < 5; round += 1) {
    tick(3);
    for (let each = 0; each < 3; each += 1) names.push(await events.next());
    drop();
    // This event occurs while nobody is subscribed.
    tick(2);
    for (let each = 0; each < 2; each += 1) names.push(await events.next());
  }
  expect(names).toEqual(
    Array.from({ length: 25 }, (_, n) => ({ data: { mine: { name: `tick ${n + 1}`, word: `word ${n + 1}` } } })),
  );
  expect(asked).toEqual([0, 3, 8, 13, 18, 23]);
});

test.each([
  ['a literal', 'subscription { ticks(after: 2) { name } }', {}],
  ['a variable', 'subscription ($from: Int!) { ticks(after: $from) { name } }', { from: 2 }],
  ['a variable with a default', 'subscription ($from: Int = 2) { ticks(after: $from) { name } }', {}],
  [
    'a variable that stands for something else too',
    'subscription ($from: Int!) { ticks(after: $from, of: $from) { name } }',
    { from: 2 },
  ],
  [
    'a fragment',
    'subscription ($from: Int!) { ...Ticks } fragment Ticks on Subscription { ticks(after: $from) { name } }',
    { from: 2 },
  ],
])('the start number may be %s', async (_, text, variables) => {
  const { subscribe, asked, tick, drop } = await running();
  tick(3);
  const events = await subscribe(text, variables);
  expect(await events.next()).toEqual({ data: { ticks: { name: 'tick 3' } } });
  drop();
  await until(() => asked.length === 2);
  tick();
  expect(await events.next()).toEqual({ data: { ticks: { name: 'tick 4' } } });
  expect(asked).toEqual([2, 3]);
});

test('subscriptions without numbers restart', async () => {
  const { subscribe, asked, tick, drop } = await running();
  const events = await subscribe('subscription { beats { sequence name } }');
  await until(() => asked.length === 1);
  tick();
  expect(await events.next()).toEqual({ data: { beats: { sequence: 1, name: 'tick 1' } } });
  drop();
  await until(() => asked.length === 2);
  tick();
  expect(await events.next()).toEqual({ data: { beats: { sequence: 2, name: 'tick 2' } } });
});

test('the gateway reconnects to a subgraph that does not answer pings', async () => {
  const { subscribe, asked, tick, pause } = await running({ keepAlive: 50 });
  const events = await subscribe('subscription { ticks { name } }');
  tick();
  expect(await events.next()).toEqual({ data: { ticks: { name: 'tick 1' } } });
  pause();
  await until(() => asked.length === 2);
  tick();
  expect(await events.next()).toEqual({ data: { ticks: { name: 'tick 2' } } });
  expect(asked).toEqual([0, 1]);
});

test('a subgraph that stays unreachable ends the stream with an error', async () => {
  const { subscribe, tick, close } = await running({ limit: 200 });
  const events = await subscribe('subscription { ticks { name } }');
  tick();
  await events.next();
  await close();
  expect(await events.next()).toEqual({
    data: null,
    errors: [{ message: 'The clock service cannot be reached. Try again shortly.', extensions: { code: 'UNAVAILABLE' } }],
  });
  expect(await events.next()).toBeUndefined();
});

test('a rejection during reconnect ends the stream', async () => {
  const { subscribe, asked, tick, drop } = await running();
  const events = await subscribe('subscription { refused { name } }');
  await until(() => asked.length === 1);
  tick();
  expect(await events.next()).toEqual({ data: { refused: { name: 'tick 1' } } });
  drop();
  expect(await events.next()).toMatchObject({ errors: [expect.anything()] });
  expect(await events.next()).toBeUndefined();
});

test('backpressure leaves unread events at the subgraph', async () => {
  const { subscribe, asked, tick } = await running();
  const events = await subscribe('subscription { ticks { sequence } }');
  await until(() => asked.length === 1);
  tick(2_500);
  expect(await events.next()).toEqual({ data: { ticks: { sequence: 1 } } });
  await new Promise((resolve) => setTimeout(resolve, 500));
  for (let sequence = 2; sequence <= 2_500; sequence += 1) expect(await events.next()).toEqual({ data: { ticks: { sequence } } });
  expect(asked.length).toBeGreaterThan(1);
});

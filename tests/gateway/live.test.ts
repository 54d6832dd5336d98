import { setTimeout } from 'node:timers/promises';
import type { Answer, Source } from 'compiled-gateway';
import { parse } from 'graphql';
import { DataSources } from '../../gateway/apollo/subgraph-sources.ts';
import { createLiveGateway, type Opening } from '../../gateway/live/live-gateway.ts';
import { subgraphsOf } from '../../gateway/supergraph/contents.ts';
import { until } from '../support/until.ts';
import { anyone, ask, federate, read, type Subgraph, sourceOf, subgraph } from './support/federation.ts';

/** A subgraph whose next version has more fields. */
function clock(fields: string): Subgraph {
  return subgraph(
    'clock',
    `type Query { now: Int slow: Int ${fields} } type Tick @key(fields: "id") { id: ID! }
    type Subscription { ticks: Tick! }`,
    {
      Query: {
        now: () => 1,
        later: () => 2,
        slow: () => setTimeout(200, 3),
      },
      Subscription: {
        ticks: {
          async *subscribe() {
            for (let id = 1; ; id++) {
              yield { ticks: { id: String(id) } };
              await setTimeout(20);
            }
          },
        },
      },
    },
  );
}
const words = subgraph('words', 'type Tick @key(fields: "id") { id: ID! word: String }', {
  Tick: { word: ({ id }: { id: string }) => `word ${id}` },
});
const others = subgraph('others', 'type Query { other: Int }', { Query: { other: () => 4 } });

interface Opened {
  name: string;
  address: string;
  closed: boolean;
}

/** A live gateway for these subgraphs, and its open sources. */
function running(subgraphs: Subgraph[], grace = 100) {
  const opened: Opened[] = [];
  let known: Record<string, Source> = {};
  const compose = (made: Subgraph[]) => {
    const { supergraph, schemas } = federate(made);
    known = { ...known, ...Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, sourceOf(schema)])) };
    return supergraph;
  };
  const openings = (supergraph: string): Record<string, Opening> =>
    Object.fromEntries(
      subgraphsOf(supergraph).map(({ name, url }) => [
        name,
        {
          address: url,
          open() {
            const entry: Opened = { name, address: url, closed: false };
            opened.push(entry);
            // A URL serves the newest version of its subgraph.
            const newest = () => known[name]!;
            return {
              execute(request) {
                if (entry.closed) throw new Error('The source is closed');
                return newest().execute(request);
              },
              subscribe: (request) => newest().subscribe(request),
              close: async () => {
                entry.closed = true;
              },
            };
          },
        },
      ]),
    );
  const gateway = createLiveGateway({ supergraph: compose(subgraphs), openings, grace });
  return { gateway, opened, replace: (made: Subgraph[]) => gateway.replace(compose(made)) };
}

const at = (made: Subgraph, url: string): Subgraph => ({ ...made, url });
const first = [at(clock(''), 'http://a'), at(words, 'http://b')];

test('a new supergraph is served while operations in flight finish on the old one', async () => {
  const { gateway, opened, replace } = running([...first, at(others, 'http://c')]);
  const slow = ask(gateway, '{ slow other }');
  await replace([at(clock('later: Int'), 'http://a'), at(words, 'http://b')]);
  expect(await ask(gateway, '{ now later }')).toEqual({ data: { now: 1, later: 2 } });
  expect(gateway.schema.getQueryType()!.getFields()).not.toHaveProperty('other');
  expect(await slow).toEqual({ data: { slow: 3, other: 4 } });

  await until(() => opened.some(({ closed }) => closed));
  expect(opened.toSorted((a, b) => a.address.localeCompare(b.address))).toEqual([
    { name: 'clock', address: 'http://a', closed: false },
    { name: 'words', address: 'http://b', closed: false },
    { name: 'others', address: 'http://c', closed: true },
  ]);
  await gateway.close();
  expect(opened.every(({ closed }) => closed)).toBe(true);
});

test('an invalid supergraph changes nothing', async () => {
  const { gateway, opened } = running(first);
  await expect(gateway.replace('type Query { a: Int }')).rejects.toThrow('is not a composed supergraph');
  await expect(gateway.replace('{')).rejects.toThrow('is not GraphQL');
  expect(await ask(gateway, '{ now }')).toEqual({ data: { now: 1 } });
  expect(opened.filter(({ closed }) => closed)).toEqual([]);
});

test('prepared operations follow the supergraph; a supergraph that cannot answer them is rejected', async () => {
  const { gateway, opened, replace } = running([...first, at(others, 'http://c')]);
  const operation = gateway.prepare(parse('{ other }'));
  const fields = gateway.derive(({ schema }) => Object.keys(schema.getQueryType()!.getFields()));
  await expect(replace([...first, at(subgraph('more', 'type Query { more: Int }'), 'http://d')])).rejects.toThrow();
  expect(fields()).not.toContain('more');
  expect(read(await operation.execute({}, anyone))).toEqual({ data: { other: 4 } });
  await until(() => opened.some(({ name, closed }) => name === 'more' && closed));

  await replace([...first, at(others, 'http://moved')]);
  await until(() => opened.some(({ address, closed }) => address === 'http://c' && closed));
  expect(read(await operation.execute({}, anyone))).toEqual({ data: { other: 4 } });
});

test('a subgraph that moves back before its source is closed keeps it', async () => {
  const { gateway, opened, replace } = running([at(others, 'http://c')]);
  await replace([at(others, 'http://moved')]);
  await replace([at(others, 'http://c'), at(words, 'http://b')]);
  await replace([at(others, 'http://moved')]);
  await replace([at(others, 'http://c')]);
  await setTimeout(300);
  expect(await ask(gateway, '{ other }')).toEqual({ data: { other: 4 } });
  expect(opened.filter(({ name }) => name === 'others').map(({ address, closed }) => [address, closed])).toEqual([
    ['http://c', false],
    ['http://moved', true],
  ]);
  await gateway.close();
});

test('the data source of a subgraph that moves back within the grace period stays open', async () => {
  const closed: string[] = [];
  const dataSources = new DataSources(({ url = '' }) => ({
    process: async () => ({}),
    close: async () => void closed.push(url),
  }));
  const supergraph = (url: string) => federate([at(others, url)]).supergraph;
  const openings = (sdl: string) => dataSources.openings(sdl);
  const gateway = createLiveGateway({ supergraph: supergraph('http://c'), openings, grace: 100 });
  await gateway.replace(supergraph('http://moved'));
  await gateway.replace(supergraph('http://c'));
  await until(() => closed.length > 0);
  await setTimeout(100);
  expect(closed).toEqual(['http://moved']);
  await gateway.close();
  expect(closed).toEqual(['http://moved', 'http://c']);
});

test('a supergraph that is rejected leaves the source of a moved subgraph open until its grace period ends', async () => {
  const { gateway, opened, replace } = running([at(others, 'http://c')]);
  gateway.derive(({ schema }) => {
    if (schema.getType('Refused')) throw new Error('refused');
  });
  await replace([at(others, 'http://moved')]);
  const refused = subgraph('more', 'type Query { refused: Refused } type Refused { id: ID }');
  await expect(replace([at(others, 'http://c'), at(refused, 'http://d')])).rejects.toThrow('refused');
  const isClosed = () => opened.find(({ address }) => address === 'http://c')!.closed;
  expect(isClosed()).toBe(false);
  await until(isClosed);
  expect(await ask(gateway, '{ other }')).toEqual({ data: { other: 4 } });
  await gateway.close();
});

test('subscriptions continue until one of their subgraphs moves', async () => {
  const { gateway, replace } = running(first);
  const open = async (text: string) => {
    const events = await gateway.operation(parse(text)).subscribe({}, anyone);
    const iterator = (events as AsyncIterable<Answer>)[Symbol.asyncIterator]();
    const next = async () => {
      const { done, value } = await iterator.next();
      return done ? undefined : read(value);
    };
    return { next, stop: () => iterator.return!() };
  };
  const alone = await open('subscription { ticks { id } }');
  const joined = await open('subscription { ticks { id word } }');
  expect(await alone.next()).toEqual({ data: { ticks: { id: '1' } } });
  expect(await joined.next()).toEqual({ data: { ticks: { id: '1', word: 'word 1' } } });

  await replace([at(clock('later: Int'), 'http://a'), at(words, 'http://moved')]);
  let last = await joined.next();
  for (let event = last; event; event = await joined.next()) last = event;
  expect(last).toEqual({
    data: null,
    errors: [{ message: 'The graph has changed. Subscribe again.', extensions: { code: 'UNAVAILABLE' } }],
  });
  await setTimeout(200);
  for (let more = 0; more < 20; more++) expect(await alone.next()).toMatchObject({ data: { ticks: {} } });

  const again = await open('subscription { ticks { id word } }');
  expect(await again.next()).toEqual({ data: { ticks: { id: '1', word: 'word 1' } } });
  await Promise.all([alone.stop(), again.stop()]);
  await gateway.close();
});

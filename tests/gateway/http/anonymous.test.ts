import { describe, expect, jest, test } from '@jest/globals';
import { buildSchema, parse } from 'graphql';
import type { Requirement } from '../../../schema/request.ts';
import { leastNeed } from '../../../server/graphql/accepted-operation.ts';
import { Allowance } from '../../../server/graphql/allowance.ts';
import { rootedGateway } from '../support/rooted.ts';
import { endpoint } from './endpoint.ts';
import { clientOf } from './websocket-client.ts';

const typeDefs = `
  type Query { open(a: Int): Int  own(a: Int): Int  shared(a: Int): Int }
  type Mutation { change: Int }
  type Subscription { ticks: Int }
`;
const schema = buildSchema(`
  directive @access(level: String!) on FIELD_DEFINITION
  type Query { open(a: Int): Int  own(a: Int): Int @access(level: "user")  shared(a: Int): Int @access(level: "admin") }
  type Mutation { change: Int @access(level: "operator") }
  type Subscription { ticks: Int @access(level: "member") }
`);

test.each([
  ['{ open own }', 'nothing'],
  ['{ own shared }', 'user'],
  ['{ __typename shared }', 'organization'],
  ['{ __schema { types { name } } shared }', 'nothing'],
  ['{ ... { ...F } } fragment F on Query { shared ...G } fragment G on Query { a: shared ...F }', 'organization'],
  ['{ ...F } fragment F on Query { shared ...G } fragment G on Query { open }', 'nothing'],
  ['mutation { change }', 'user'],
  ['subscription { ticks }', 'organization'],
  ['{ shared nothing }', 'nothing'],
  ['{ constructor }', 'nothing'],
  ['query A { open } query B { shared }', 'organization', 'B'],
  ['query A { open } query B { shared }', 'nothing'],
])('%s needs %s', (text, need, ...[name]) => {
  expect(leastNeed(parse(text), name, schema)).toBe(need);
});

describe('an operation whose fields all need a key', () => {
  /** An endpoint that counts planned operations. */
  async function open() {
    const gateway = rootedGateway(typeDefs, { open: 1, own: 2, shared: 3, change: 4 });
    const planned: unknown[] = [];
    const counted: typeof gateway = {
      ...gateway,
      schema,
      prepare(...operation) {
        planned.push(operation);
        return gateway.prepare(...operation);
      },
      derive(make) {
        const value = make(counted);
        return () => value;
      },
    };
    return { planned, graph: await endpoint({ gateway: counted }) };
  }
  const missing = { errors: [{ message: 'Missing API Key', extensions: { code: 'MISSING_KEY' } }] };

  test('is refused without one before it is validated and planned, with 401 in every media type', async () => {
    const { planned, graph } = await open();
    await using _ = graph;
    for (const accept of ['application/json', 'application/graphql-response+json'])
      for (const query of ['{ own }', '{ shared { unknown } }', '{ __typename ...F } fragment F on Query { own }']) {
        const { status, body } = await graph.ask(query, { accept });
        expect([query, status, body]).toEqual([query, 401, missing]);
      }
    expect(planned).toEqual([]);
    const client = clientOf(graph);
    await expect(client.iterate({ query: '{ own }' }).next()).rejects.toMatchObject([{ extensions: { code: 'MISSING_KEY' } }]);
    await client.dispose();
  });

  test('is refused without one even if it is known, and runs with one', async () => {
    const { graph } = await open();
    await using _ = graph;
    const key = { 'x-api-key': 'good' };
    for (let times = 0; times < 2; times++) {
      expect((await graph.ask('{ own }', key)).body).toEqual({ data: { own: 2 } });
      expect((await graph.ask('{ own }')).status).toBe(401);
    }
    expect((await graph.ask('{ open own }')).body).toEqual({ data: { open: 1, own: 2 } });
  });
});

describe('new documents', () => {
  /** The points that each operation counts beyond the one of its request. */
  async function pointsOf(headers: Record<string, string>, ...queries: string[]) {
    const counted: Requirement[] = [];
    const admit = async (_: unknown, requirement: Requirement) => {
      if (requirement.points !== undefined) counted.push(requirement);
      return { limit: 120, remaining: 1, reset: 1_900_000_000 };
    };
    await using graph = await endpoint({ admit });
    const points: number[] = [];
    for (const query of queries) {
      counted.length = 0;
      await graph.ask(query, headers);
      points.push(counted.reduce((sum, each) => sum + each.points!, 0));
    }
    return points;
  }
  const fields = (count: number) => `{ me { ${Array.from({ length: count - 1 }, (_, at) => `a${at}: id`).join(' ')} } }`;

  test('count one point for each ten of their fields, of the key or of the address', async () => {
    const queries = [fields(10), fields(25), fields(25)];
    expect(await pointsOf({ 'x-api-key': 'good' }, ...queries)).toEqual([1, 2, 0]);
    expect(await pointsOf({}, ...queries)).toEqual([1, 2, 0]);
  });

  test('the cost of a known one counts, of the key or of the address', async () => {
    const dear = '{ friends(limit: 3000) { id } }';
    expect(await pointsOf({ 'x-api-key': 'good' }, dear, dear)).toEqual([3, 3]);
    expect(await pointsOf({}, dear, dear)).toEqual([3, 3]);
  });
});

describe('the time for new documents', () => {
  let cpu = 0;
  let now = 0;
  const burn = (milliseconds: number) => () => {
    cpu += milliseconds;
    return milliseconds;
  };
  const meterOf = (allowance: Allowance, address: string) => allowance.meterOf({ headers: { 'x-client-address': address } });
  const open = () => new Allowance({ now: () => now, processorTime: () => cpu });
  const exhausted = expect.objectContaining({ extensions: { code: 'RATE_LIMITED' } });

  test('ends for one network, and comes back by a hundredth of the time', () => {
    const allowance = open();
    const one = meterOf(allowance, '10.0.0.1');
    expect(one.spend(burn(999))).toBe(999);
    one.spend(burn(21));
    expect(() => one.spend(burn(1))).toThrow(exhausted);
    expect(meterOf(allowance, '10.0.0.2').spend(burn(5))).toBe(5);
    now += 1_900;
    expect(() => one.spend(burn(1))).toThrow(exhausted);
    now += 200;
    expect(one.spend(burn(5))).toBe(5);
  });

  test('is a tenth of the thread for all networks together, also of work that fails', () => {
    const allowance = open();
    const fail = () => {
      burn(200)();
      throw new Error('invalid');
    };
    for (let each = 0; each < 10; each++) expect(() => meterOf(allowance, `10.0.1.${each}`).spend(fail)).toThrow('invalid');
    expect(() => meterOf(allowance, '10.0.2.1').spend(burn(1))).toThrow(exhausted);
    let spent = 0;
    for (let seconds = 0; seconds < 100; seconds++) {
      now += 1_000;
      for (let each = 0; each < 50; each++) {
        try {
          spent += meterOf(allowance, `10.1.${seconds}.${each}`).spend(burn(10));
        } catch {
          break;
        }
      }
    }
    expect(spent).toBeLessThanOrEqual(100 * 110);
    expect(spent).toBeGreaterThan(90 * 100);
  });

  test('is half of the thread for an organization, whichever key it sends', () => {
    const allowance = open();
    const meter = (owner: string, key: string) => allowance.meterOf({ headers: { 'x-api-key': key }, owner });
    meter('one', 'a').spend(burn(10_001));
    expect(() => meter('one', 'b').spend(burn(1))).toThrow(exhausted);
    expect(meter('two', 'c').spend(burn(5))).toBe(5);
    now += 1_000;
    expect(meter('one', 'b').spend(burn(600))).toBe(600);
    expect(() => meter('one', 'a').spend(burn(1))).toThrow(exhausted);
  });

  test('addresses of one IPv6 network share it', () => {
    const allowance = open();
    meterOf(allowance, '2001:db8::1').spend(burn(1_001));
    expect(() => meterOf(allowance, '2001:db8::2').spend(burn(1))).toThrow(exhausted);
  });
});

test('without time left, new documents get 429 with Retry-After, and known ones run', async () => {
  await using graph = await endpoint();
  expect((await graph.ask('{ hello }')).status).toBe(200);
  let user = 0;
  jest.spyOn(process, 'threadCpuUsage').mockImplementation(() => {
    user += 600_000;
    return { user, system: 0 };
  });
  await graph.ask('{ a: hello }');
  const refused = await graph.ask('{ b: hello }', { accept: 'application/json' });
  jest.restoreAllMocks();
  expect([refused.status, refused.headers.get('retry-after'), refused.body.errors![0]!.extensions.code]).toEqual([
    429,
    '5',
    'RATE_LIMITED',
  ]);
  expect((await graph.ask('{ hello }')).status).toBe(200);
  expect((await graph.ask('{ c: hello }', { 'x-api-key': 'good' })).status).toBe(200);
});

test('without time left, the operations of the own pages run, over HTTP and WebSocket, also before their first use', async () => {
  const own = ['query ($name: String) { hello(name: $name) }', 'subscription { ticks(upTo: 1) }', '{ removed }'];
  await using graph = await endpoint({ own });
  let user = 0;
  jest.spyOn(process, 'threadCpuUsage').mockImplementation(() => {
    user += 600_000;
    return { user, system: 0 };
  });
  await graph.ask('{ a: hello }');
  expect((await graph.ask('{ b: hello }')).status).toBe(429);
  expect((await graph.ask(own[0]!, {}, { variables: { name: 'Ada' } })).body).toEqual({ data: { hello: 'hello Ada' } });
  const client = clientOf(graph);
  expect((await client.iterate({ query: own[1]! }).next()).value).toEqual({ data: { ticks: '1' } });
  await client.dispose();
  jest.restoreAllMocks();
  expect((await graph.ask(own[2]!, { 'x-api-key': 'good' })).body.errors![0]!.extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
});

test('a key of spaces is none', async () => {
  await using graph = await endpoint();
  const { status, body } = await graph.ask('{ seen }', { 'x-api-key': '\u00a0' });
  expect([status, JSON.parse(String(body.data?.seen))['x-api-key']]).toEqual([200, undefined]);
});

import { compute } from '../../../subgraphs/agent/tools/compute.ts';

const [acme, other] = [{ organizationId: 'acme' }, { organizationId: 'other' }];
const map = (owner: { organizationId: string }, path: string, value: unknown) =>
  compute(owner, 'mapResponse', {
    mapping: { kind: 'jsonpath', path, truncateChars: 1_000 },
    text: JSON.stringify(value),
    secrets: [],
  });
const items = (count: number) => Array.from({ length: count }, (_, n) => ({ n }));
const SLOW = '$[?count($..*) > @.n]';

test('work that takes too long is terminated, and the next work succeeds', async () => {
  const [slow, next] = await Promise.allSettled([map(acme, SLOW, items(30_000)), map(other, '$[0].n', items(1))]);
  expect(slow).toMatchObject({ status: 'rejected', reason: { name: 'ToolFault', message: 'The work takes too long.' } });
  expect(next).toMatchObject({ status: 'fulfilled', value: { result: 0 } });
});

test('work that needs too much memory ends without the process', async () => {
  const deep = Array.from({ length: 40 }).reduce<unknown>((inner) => [inner, inner === 0 ? 0 : 1, 2, 3], 0);
  await expect(map(acme, '$..*..*..*..*..*..*', deep)).rejects.toMatchObject({
    name: 'ToolFault',
    message: /too much memory|too long/,
  });
  expect(await map(acme, '$[0].n', items(1))).toMatchObject({ result: 0 });
});

test('parameters with quadratic checks are terminated', async () => {
  const schema = { properties: { a: { type: 'array', uniqueItems: true } } };
  const check = (params: unknown) => compute(acme, 'checkInput', { schema, params });
  expect(await check({ a: [{ n: 1 }, { n: 1 }] })).toContain('must NOT have duplicate items');
  await expect(check({ a: items(60_000) })).rejects.toMatchObject({ message: 'The work takes too long.' });
});

test('input that is nested too deeply to be passed on is refused, and delays nobody', async () => {
  let value: unknown = 'deep';
  for (let depth = 0; depth < 100_000; depth += 1) value = [value];
  await map(other, '$[0].n', items(1));
  const before = process.cpuUsage();
  const tasks = [1, 2, 3].map(() => compute(acme, 'checkInput', { schema: {}, params: value }));
  const [next, ...refused] = await Promise.allSettled([map(other, '$[0].n', items(1)), ...tasks]);
  const { user, system } = process.cpuUsage(before);
  expect(user + system).toBeLessThan(3_000_000);
  expect(next).toMatchObject({ status: 'fulfilled', value: { result: 0 } });
  for (const each of refused)
    expect(each).toMatchObject({ status: 'rejected', reason: { name: 'ToolFault', message: 'The data is nested too deeply.' } });
});

test('a keyword of the library for asynchronous schemas has no effect', async () => {
  const schema = { $async: true, required: ['a'], properties: { b: { type: 'string' } } };
  const check = (params: unknown) => compute(acme, 'checkInput', { schema, params });
  const next = Array.from({ length: 20 }, () => map(other, SLOW, items(100)));
  expect(await compute(acme, 'checkSchema', { schema })).toBeUndefined();
  const nested = { ...schema, properties: { b: { $async: true, type: 'string' } } };
  expect(await compute(acme, 'checkSchema', { schema: nested })).toBe('inputSchema cannot be used: async schema in sync schema');
  expect(await check({})).toContain("must have required property 'a'");
  expect(await check({ a: 1, b: 2 })).toContain('must be string');
  expect(await check({ a: 1 })).toBeUndefined();
  expect((await Promise.allSettled(next)).map(({ status }) => status)).toEqual(Array(20).fill('fulfilled'));
});

test('organizations take turns', async () => {
  const finished: string[] = [];
  const work = (owner: { organizationId: string }) => map(owner, SLOW, items(150)).then(() => finished.push(owner.organizationId));
  const flood = Array.from({ length: 20 }, () => work(acme));
  await Promise.all([...flood, work(other)]);
  expect(finished.indexOf('other')).toBeLessThanOrEqual(2);
});

test('an organization has at most 200 waiting tasks, and others are unaffected', async () => {
  const results = await Promise.allSettled([...Array.from({ length: 250 }, () => map(acme, '$', 1)), map(other, '$', 2)]);
  const refused = results.filter(({ status }) => status === 'rejected');
  expect(refused.length).toBeGreaterThanOrEqual(49);
  expect(refused[0]).toMatchObject({ reason: { message: 'Too many calls run at once. Try again shortly.' } });
  expect(results.at(-1)).toMatchObject({ status: 'fulfilled', value: { result: 2 } });
});

import type { Route } from '../../rest-adapter/route.ts';
import { allRoutes } from '../rest/all-routes.ts';
import { expectRefusal, expectTame, openAttacker } from './attacker.ts';

const endpoints = allRoutes.filter(({ surface }) => surface.organization === 'path');
const posts = endpoints.filter(({ method }) => method !== 'GET');
const cases = (list: Route[]) => list.map((route) => [route.name, route] as const);

let attacker: Awaited<ReturnType<typeof openAttacker>>;
beforeAll(async () => {
  attacker = await openAttacker();
});

const pathOf = ({ path }: Route, id: string) => path.replace('{organization}', attacker.organization.slug).replace(/\{\w+\}/g, id);
const send = (
  route: Route,
  body: BodyInit | undefined,
  { id = crypto.randomUUID() as string, ...headers }: Record<string, string> = {},
) => attacker.send(pathOf(route, id), body as BodyInit, headers, route.method);

describe.each(cases(endpoints))('%s', (_, route) => {
  const sound = route.method === 'GET' ? undefined : '{}';

  test('rejects a missing and an invalid key', async () => {
    expectRefusal(await send(route, sound, { 'x-api-key': '' }), [401]);
    expectRefusal(await send(route, sound, { 'x-api-key': 'no key' }), [401]);
    expectRefusal(await send(route, sound, { 'x-api-key': `ck_${'A'.repeat(43)}` }), [401, 403]);
  });

  test.each(['%00', '%0d%0a', 'x'.repeat(6_000), '__proto__', "'%20or%20'1'='1"])(
    'keeps its form with the id %.20s',
    async (id) => {
      if (route.params.length > 1) expectRefusal(await send(route, sound, { id }), [400, 403, 404]);
    },
  );

  test('rejects other methods', async () => {
    const answer = await attacker.send(pathOf(route, 'a'), '{}', {}, 'PATCH');
    if (!posts.some((other) => other.path === route.path && other.method === 'PATCH')) expectRefusal(answer, [405]);
  });
});

test.each(cases(posts))('%s returns the documented form for any body', async (_, route) => {
  for (const body of [
    '[]',
    'null',
    '"text"',
    '{"a',
    '\0',
    '{"page": 1e400, "id": [], "name": {}, "input": 5}',
    `{"a": ${'['.repeat(9_000)}`,
  ]) {
    const answer = await send(route, body);
    expectTame(answer);
    if (answer.status >= 400) expectRefusal(answer, [400, 402, 403, 404, 422]);
  }
  expect(await attacker.stored()).toBe(0);
});

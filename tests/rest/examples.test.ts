import { type Route, requirementOf } from '../../rest-adapter/route.ts';
import { allRoutes, named, urlOf } from './all-routes.ts';

/** The path of the example. */
const pathOf = ({ path, row }: Route) => path.replace(/\{(\w+)\}/g, (_, name: string) => row.example.params?.[name] ?? '');

test.each(named(allRoutes))('$name is reached by its example', async ({ route }) => {
  const { query, body } = route.row.example;
  const response = await fetch(`${urlOf(route)}${pathOf(route)}?${new URLSearchParams(query)}`, {
    method: route.method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), 'x-api-key': 'not-a-key' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  // The fallback of an API returns 404; a route returns 401 or, if public, not found.
  const answer = await response.json();
  if (requirementOf(route).access === 'public') expect(answer.message ?? answer.error.message).not.toBe('Not Found');
  else expect(response.status).toBe(401);
});

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, parse, validate } from 'graphql';
import { routes, type Table } from '../../rest-adapter/route.ts';
import { restTables } from '../../rest-adapter/routes/index.ts';
import { codeOf } from '../../schema/errors.ts';
import { teachScalars } from '../../schema/scalars.ts';

import { allRoutes, named } from '../rest/all-routes.ts';
import { additional, additionalOnSite, documented, documentedOnSite, notYetBuilt, notYetBuiltOnSite } from './documented.ts';

import { root, textOf } from './files.ts';

// Parse the text, because two copies of graphql-js reject each other's schemas.
const schema = buildSchema(textOf('schema/api.graphql'));
teachScalars(schema);

const on = (listener: 'main' | 'site') => allRoutes.filter(({ surface }) => surface.listener === listener);

test.each([
  ['main', [...documented, ...additional], notYetBuilt],
  ['site', [...documentedOnSite, ...additionalOnSite], notYetBuiltOnSite],
] as const)('the rows of the %s listener are exactly what is documented and built', (listener, built, waiting) => {
  const names = on(listener).map(({ name }) => name);
  expect([...names].sort()).toEqual([...built].sort());
  expect(names.filter((name) => waiting.includes(name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});

test('every table under rest-adapter/routes is served', async () => {
  const files = readdirSync(join(root, 'rest-adapter/routes'));
  const modules = await Promise.all(files.map((file) => import(`../../rest-adapter/routes/${file}`)));
  const tables = modules.flatMap((module) => Object.values(module as Record<string, Table>)).filter((each) => each.rows);
  expect(
    tables
      .filter((each) => !restTables.includes(each))
      .flatMap(routes)
      .map(({ name }) => name),
  ).toEqual([]);
});

test('shared caches may not store any response, and no cache a secret', () => {
  const cacheOf = ({ surface, row }: (typeof allRoutes)[number]) => ({ ...surface.headers, ...row.headers })['cache-control'];
  for (const route of allRoutes) {
    const isSecret = /\b(secret|token)\b/i.test(route.row.graphql);
    expect([route.name, cacheOf(route)]).toEqual([
      route.name,
      expect.stringMatching(isSecret ? /^no-store$/ : /^no-store$|^private\b/),
    ]);
  }
});

test.each(named(allRoutes))('$name is a valid operation with one root field', ({ route }) => {
  const document = parse(route.row.graphql);
  expect(validate(schema, document)).toEqual([]);
  const [operation] = document.definitions;
  expect(document.definitions).toHaveLength(1);
  expect(operation?.kind === 'OperationDefinition' && operation.selectionSet.selections).toHaveLength(1);
});

test.each(named(allRoutes))('$name uses a query to read, a mutation to write and a subscription to stream', ({ route }) => {
  const [operation] = parse(route.row.graphql).definitions;
  const kind = operation?.kind === 'OperationDefinition' && operation.operation;
  if (route.row.stream) expect(kind).toBe('subscription');
  else expect(route.method === 'GET' ? ['query'] : ['query', 'mutation']).toContain(kind);
});

test.each(named(allRoutes))('$name is described', ({ route: { row, surface } }) => {
  expect(row.summary).toMatch(/^[A-Z].{5,}[^.]$/);
  expect(row.summary.length).toBeLessThanOrEqual(80);
  const codes = Array.isArray(row.errors) ? row.errors : Object.keys(row.errors ?? {});
  for (const code of codes) expect(codeOf({ extensions: { code } })).toBe(code);
  // Repeating an error code of the API requires a different message.
  if (Array.isArray(row.errors)) expect(codes.filter((code) => surface.errors.includes(code))).toEqual([]);
});

test.each(named(allRoutes))('$name has an example that names every parameter and no other', ({ route: { row, params } }) => {
  expect(Object.keys(row.example.params ?? {}).sort()).toEqual([...params].sort());
});

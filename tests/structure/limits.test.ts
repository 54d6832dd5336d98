import { parse } from 'graphql';
import { getMetadataStorage } from 'type-graphql';
import { type Limit, limitsOf } from '../../platform/fields/declare.ts';
import { declaredLimits } from '../../platform/subgraph/describe.ts';
import type { Route } from '../../rest-adapter/route.ts';
import { allRoutes } from '../rest/all-routes.ts';
import { textOf } from './files.ts';

// Loads the metadata of all operations.
import '../../start/subgraphs.ts';

interface Schema {
  items?: Schema;
  properties?: Record<string, Schema>;
  allOf?: Schema[];
  oneOf?: Schema[];
  [keyword: string]: unknown;
}

const documents = { main: JSON.parse(textOf('schema/openapi.json')), site: JSON.parse(textOf('schema/openapi-site-content.json')) };
const keywords: Record<string, string> = { min: 'minimum', max: 'maximum' };
const ofLists = ['minItems', 'maxItems'];

/** The limits of a declaration that are missing in its JSON schema. */
function missing(limit: Limit, schema: Schema | undefined): string[] {
  const lacks = ([name, bound]: [string, unknown]) => {
    if (name === 'notNull') return JSON.stringify(schema?.type ?? null).includes('null');
    // Keywords cannot express validation functions.
    if (name === 'faults') return false;
    const holder = schema?.items && !ofLists.includes(name) ? schema.items : schema;
    return holder?.[keywords[name] ?? name] !== (bound instanceof RegExp ? bound.source : bound);
  };
  return Object.entries(limit)
    .filter(lacks)
    .map(([name]) => name);
}

/** The schema of a parameter or body property, by name. */
function documentedInput({ path, method, surface, row }: Route, name: string): Schema | undefined {
  const operation = documents[surface.listener].paths[path][method.toLowerCase()];
  const parameter = operation.parameters?.find((each: { name: string }) => each.name === (row.headerVariables?.[name] ?? name));
  const [body] = Object.values((operation.requestBody?.content ?? {}) as Record<string, { schema: Schema }>);
  return parameter?.schema ?? propertyOf(body?.schema, name);
}

function propertyOf(schema: Schema | undefined, name: string): Schema | undefined {
  const parts = [...(schema?.allOf ?? []), ...(schema?.oneOf ?? [])];
  return schema?.properties?.[name] ?? parts.map((each) => propertyOf(each, name)).find(Boolean);
}

const { inputTypes, queries, mutations, params } = getMetadataStorage();

test('every limit of an input type is in its OpenAPI component', () => {
  const components = { ...documents.main.components.schemas, ...documents.site.components.schemas } as Record<string, Schema>;
  const faults = inputTypes
    .filter(({ name }) => components[name])
    .flatMap(({ name, target }) =>
      [...limitsOf(target)].map(([field, limit]) => [name, field, missing(limit, components[name]!.properties?.[field])] as const),
    );
  expect(faults.length).toBeGreaterThan(25);
  expect(faults.filter(([, , lacks]) => lacks.length > 0)).toEqual([]);
});

test('every limit of an argument is on its parameter or property', () => {
  const found = allRoutes.flatMap((route) => {
    const [operation] = parse(route.row.graphql).definitions;
    const [root] = operation?.kind === 'OperationDefinition' ? operation.selectionSet.selections : [];
    if (root?.kind !== 'Field') return [];
    const resolver = [...queries, ...mutations].find(({ schemaName }) => schemaName === root.name.value);
    const taken = params.filter((each) => each.target === resolver?.target && each.methodName === resolver.methodName);
    const limits = taken.flatMap((param) => (param.kind === 'args' ? [...limitsOf(param.getType())] : []));
    return limits.flatMap(([name, limit]) => {
      const value = root.arguments?.find((each) => each.name.value === name)?.value;
      if (value?.kind !== 'Variable' || value.name.value === 'files') return [];
      return [[route.name, name, missing(limit, documentedInput(route, value.name.value))] as const];
    });
  });
  expect(found.length).toBeGreaterThan(40);
  expect(found.filter(([, , lacks]) => lacks.length > 0)).toEqual([]);
});

test('the gateway checks the limits of every class of arguments', () => {
  const faultsOf = declaredLimits();
  const unchecked = [...queries, ...mutations].flatMap(({ target, methodName, schemaName }) =>
    params
      .filter((each) => each.kind === 'args' && each.target === target && each.methodName === methodName)
      .flatMap((each) => (each.kind === 'args' ? [...limitsOf(each.getType())] : []))
      .filter(([name, { maxLength }]) => maxLength && [...faultsOf(schemaName, name, 'a'.repeat(maxLength + 1), name)].length === 0)
      .map(([name]) => `${schemaName}.${name}`),
  );
  expect(unchecked).toEqual([]);
  expect([...faultsOf('createBrand', 'name', 'a'.repeat(256), 'name')]).toEqual([expect.stringContaining('name must be at most')]);
  expect([...faultsOf('brandEnrichmentHistory', 'limit', 51, 'limit')]).toEqual(['limit must be at most 50']);
});

test('every pattern is valid with the unicode flag', () => {
  const patterns = inputTypes.flatMap(({ target }) => [...limitsOf(target).values()]).flatMap(({ pattern }) => pattern ?? []);
  expect(patterns.length).toBeGreaterThan(5);
  for (const { source } of patterns) expect(() => new RegExp(source, 'u')).not.toThrow();
});

test('OpenAPI descriptions do not repeat the keywords', () => {
  const texts = [...JSON.stringify(documents).matchAll(/"description":"([^"]*)"/g)].map(([, text]) => text!);
  expect(texts.filter((text) => /\b(characters|entries)\.|Matches |One of `/.test(text))).toEqual([]);
});

import type { Route } from '../../rest-adapter/route.ts';
import { textOf } from '../structure/files.ts';
import { caller } from '../support/client.ts';
import { seedOrganization } from '../support/seed.ts';
import { allRoutes } from './all-routes.ts';

interface Schema {
  $ref?: string;
  anyOf?: Schema[];
  allOf?: Schema[];
  oneOf?: Schema[];
  type?: string | string[];
  items?: Schema;
  properties?: Record<string, Schema>;
  [keyword: string]: unknown;
}

const document = JSON.parse(textOf('schema/openapi.json'));
const resolve = (schema: Schema): Schema =>
  schema.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)!] : (schema.anyOf?.find((each) => each.$ref) ?? schema);

/** By keyword: a value just above the limit. */
const beyond: Record<string, (bound: number, schema: Schema) => unknown> = {
  minimum: (bound) => bound - 1,
  maximum: (bound) => bound + 1,
  minLength: (bound) => 'x'.repeat(bound - 1),
  maxLength: (bound) => 'x'.repeat(bound + 1),
  pattern: () => ' ',
  maxProperties: (bound) =>
    Object.fromEntries(Array.from({ length: bound + 1 }, (_, at) => [`k${at}`, { attributeType: 'text', value: 'x' }])),
  propertyNames: () => ({ '': { attributeType: 'text', value: 'x' } }),
  additionalProperties: () => ({ key: { attributeType: 'no such word', value: 'x' } }),
  enum: () => 'no such word',
  minItems: (bound, { items }) => Array(bound - 1).fill(sample(items)),
  maxItems: (bound, { items }) => Array(bound + 1).fill(sample(items)),
};

const sample = (items: Schema = {}): unknown => (Array.isArray(items.enum) ? items.enum[0] : items.$ref ? {} : 'x');

/** Each property of a request body with a value that violates one of its limits. */
function* broken(schema: Schema): Generator<[field: string, keyword: string, value: unknown]> {
  const { properties = {}, allOf = [], oneOf = [] } = resolve(schema);
  for (const part of [...allOf, ...oneOf]) yield* broken(part);
  for (const [field, each] of Object.entries(properties)) {
    for (const [keyword, bound] of Object.entries(each)) {
      if (Object.hasOwn(beyond, keyword)) yield [field, keyword, beyond[keyword]!(bound as number, each)];
    }
    for (const [keyword, bound] of Object.entries(each.items ?? {}))
      if (Object.hasOwn(beyond, keyword)) yield [`${field}[0]`, keyword, [beyond[keyword]!(bound as number, each.items!)]];
  }
}

const requests = allRoutes.flatMap((route: Route) => {
  const content = document.paths[route.path]?.[route.method.toLowerCase()]?.requestBody?.content['application/json'];
  if (!content || route.surface.listener !== 'main') return [];
  const schema = route.action ? content.schema.oneOf.find((each: Schema) => each.title === route.action) : content.schema;
  return [...broken(schema)].map(([field, keyword, value]) => ({ name: route.name, route, field, keyword, value }));
});

test('the table has every kind of limit', () => {
  expect(new Set(requests.map(({ keyword }) => keyword))).toEqual(new Set(Object.keys(beyond)));
  expect(requests.length).toBeGreaterThan(100);
});

test('a value beyond any documented limit is rejected with 400 and its name', async () => {
  const { slug, key } = await seedOrganization({ modules: ['helpdesk'] });
  const { send } = caller(key);
  const accepted: unknown[] = [];
  for (const { route, name, field, keyword, value } of requests) {
    const path = route.path
      .replace('{organization}', slug)
      .replace(/\{(\w+)\}/g, (_, each: string) => route.row.example.params![each]!);
    const body = { ...(route.row.example.body as object), [field.replace('[0]', '')]: value };
    const { status, body: answer } = await send(route.method, path, body);
    const message = String(answer.message ?? answer.error?.message);
    if (status !== 400 || !message.includes(field)) accepted.push([name, field, keyword, status, message]);
  }
  expect(accepted).toEqual([]);
});

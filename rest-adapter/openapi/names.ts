import type { GraphQLSchema } from 'graphql';
import { Kind } from 'graphql';
import { type RowOperation, readOperation } from '../endpoint.ts';
import { toolName } from '../mcp/tool-name.ts';
import type { Route } from '../route.ts';
import type { Components, JsonSchema } from './json-schema.ts';

const pascal = (words: string) =>
  words
    .split(/[^A-Za-z0-9]/)
    .map((word) => word.replace(/^./, (letter) => letter.toUpperCase()))
    .join('');
const camel = (words: string) => pascal(words).replace(/^./, (letter) => letter.toLowerCase());

/**
 * The ids of the operations of a document, by route: a verb and a noun such as `listProducts`, like the tools of MCP. Where two routes would
 * have one id, the later one has its surface and path instead.
 */
export function operationIds(routes: readonly Route[], schema: GraphQLSchema): ReadonlyMap<Route, string> {
  const ids = new Map<Route, string>();
  const taken = new Set<string>();
  for (const route of routes) {
    const { surface, method, path } = route;
    const short = camel(toolName(route, readOperation(route, schema), schema));
    const id = taken.has(short) ? camel(`${surface.name} ${method.toLowerCase()} ${path.replace('/api', '')}`) : short;
    taken.add(id);
    ids.set(route, id);
  }
  return ids;
}

/** The id of the operation of routes that share a path. */
export const sharedId = ({ path }: Route): string => camel(`manage ${path.split('/').at(-1)}`);

/** Names the schema of a selection of a GraphQL type: returns a reference to it, or the schema itself. `isItem`: it is in a list. */
export type NameSchema = (type: string, isItem: boolean, schema: JsonSchema) => JsonSchema;

/**
 * Names the selections of one operation, so that generated clients have types to import. An item of a list has the name of its GraphQL type, with the
 * constants of the operation in front: `jobs(kind: "ai-import")` lists `AiImportJob`. Where another schema has the name, the id of the operation
 * comes in front.
 */
export function schemaNames({ root }: RowOperation, operationId: string, components: Components): NameSchema {
  const kind = (root.arguments ?? [])
    .map(({ value }) => (value.kind === Kind.STRING || value.kind === Kind.ENUM ? pascal(value.value) : ''))
    .join('');
  return (type, isItem, schema) => {
    const names = [isItem ? joined(kind, type) : type, joined(kind, type), pascal(operationId) + type];
    return refer(names, schema, components);
  };
}

/** Both may share a word, as `ImportJob` and `JobItem` do. */
const joined = (kind: string, type: string): string => {
  const [first = ''] = /^[A-Z][a-z]*/.exec(type) ?? [];
  return kind.endsWith(first) ? kind + type.slice(first.length) : kind + type;
};

/** A reference to a schema, under the first of the names that no other schema has. Without one, the schema stays inline. */
export function refer(names: readonly string[], schema: JsonSchema, components: Components): JsonSchema {
  const text = JSON.stringify(schema);
  const name = names.find((each) => !(each in components) || JSON.stringify(components[each]) === text);
  if (name === undefined) return schema;
  components[name] = schema;
  return { $ref: `#/components/schemas/${name}` };
}

/** The name of the result of an operation. */
export const resultName = (operationId: string): string => `${pascal(operationId)}Result`;

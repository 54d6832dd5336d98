import type { GraphQLInputType, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { getNullableType, isInputObjectType, isListType, isNonNullType, typeFromAST } from 'graphql';
import { isObject } from '../../schema/json.ts';
import type { Route } from '../route.ts';
import { type Parts, WHOLE_BODY } from './variables.ts';

/** The response header that names the parameters which no documented one has, because the contract ignores them. */
export const UNKNOWN_PARAMETERS = 'x-unknown-parameters';

/** Names in one header, and the characters of each. */
const MAX_NAMES = 10;
const MAX_LENGTH = 64;

/** Collects unknown names. */
class Names {
  readonly #found = new Set<string>();

  get isFull(): boolean {
    return this.#found.size === MAX_NAMES;
  }

  add(name: string): void {
    if (!this.isFull) this.#found.add(name);
  }

  /** The names with the characters of a header, separated by commas; undefined without any. */
  toHeader(): string | undefined {
    if (this.#found.size === 0) return undefined;
    return [...this.#found].map((name) => encodeURIComponent(name.slice(0, MAX_LENGTH).toWellFormed())).join(',');
  }
}

/** Collects the unknown names in a value. `path` is the path of the value and ends with a dot. */
type Walk = (value: unknown, names: Names, path: string) => void;

/**
 * Create a function that names the unknown parameters of a request: of its query, and of its body at every depth whose input type is
 * known (`products.skuu`). It names at most ten, and never a value.
 */
export function unknownParameters(
  { surface, row, action }: Route,
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
): (parts: Parts) => string | undefined {
  const types = new Map(
    (operation.variableDefinitions ?? []).map(({ variable, type }) => [
      variable.name.value,
      typeFromAST(schema, type) as GraphQLInputType,
    ]),
  );
  const whole = types.get(WHOLE_BODY);
  types.delete(WHOLE_BODY);
  const inQuery = new Set([...types.keys(), ...(surface.organization === 'query' ? ['organization'] : [])]);
  const besides = [...(action === undefined ? [] : ['action']), ...(row.files ? ['files'] : [])];
  const walkBody = walkFields(() => [
    ...besides.map((name): Field => [name, undefined]),
    ...[...types].map(([name, type]): Field => [name, walkOf(type)]),
    ...(whole ? fieldsOf(getNullableType(whole)) : []),
  ]);

  return ({ query, body }) => {
    const names = new Names();
    for (const name of Object.keys(query)) if (!inQuery.has(name)) names.add(name);
    walkBody(body, names, '');
    return names.toHeader();
  };
}

type Field = readonly [string, Walk | undefined];

/** The walk of a type; undefined for values without known fields. */
function walkOf(type: GraphQLInputType, known: Known = new Map()): Walk | undefined {
  if (isNonNullType(type)) return walkOf(type.ofType, known);
  if (isListType(type)) {
    const each = walkOf(type.ofType, known);
    const walk: Walk = (value, names, path) => {
      if (Array.isArray(value)) for (const item of value) each?.(item, names, path);
    };
    return each && walk;
  }
  if (!isInputObjectType(type)) return undefined;
  const walk = known.get(type) ?? walkFields(() => fieldsOf(type, known));
  known.set(type, walk);
  return walk;
}

type Known = Map<GraphQLInputType, Walk>;

const fieldsOf = (type: GraphQLInputType, known: Known = new Map()): Field[] =>
  isInputObjectType(type) ? Object.values(type.getFields()).map((field) => [field.name, walkOf(field.type, known)]) : [];

/** @param fieldsOf the known fields with their walks; called on first use, because types may be recursive */
function walkFields(fieldsOf: () => readonly Field[]): Walk {
  let fields: ReadonlyMap<string, Walk | undefined> | undefined;
  return (value, names, path) => {
    if (!isObject(value)) return;
    fields ??= new Map(fieldsOf());
    for (const name of Object.keys(value)) {
      if (names.isFull) return;
      if (fields.has(name)) fields.get(name)?.(value[name], names, `${path}${name}.`);
      else names.add(path + name);
    }
  };
}

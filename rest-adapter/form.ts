import type { GraphQLInputType, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { getNullableType, isInputObjectType, isListType, typeFromAST } from 'graphql';
import { fail } from '../schema/errors.ts';
import { WHOLE_BODY } from './variables.ts';

type Fields = Record<string, unknown>;
type Read = (value: unknown) => unknown;

/** The fields of a form by name: repeated ones are lists, `a[b]` is the key `b` of the object `a`. */
export function addField(fields: Fields, written: string, text: string): void {
  const [, name = written, keys = ''] = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(written) ?? [];
  const path = [name, ...[...keys.matchAll(/\[([^[\]]*)\]/g)].map(([, key]) => key!)].filter((key) => key !== '');
  let place = fields;
  for (const key of path.slice(0, -1)) {
    const known = place[key] ?? Object.create(null);
    if (typeof known !== 'object' || Array.isArray(known)) throw fail('INVALID_INPUT', `${name} is both a text and an object`);
    place[key] = known;
    place = known as Fields;
  }
  const last = path.at(-1)!;
  const known = place[last];
  place[last] = known === undefined ? text : [known, text].flat();
}

/** Reads the texts of a form as the types of the variables they fill; what does not read as its type is left for GraphQL to refuse. */
export function formReader(schema: GraphQLSchema, operation: OperationDefinitionNode): (fields: Fields) => Fields {
  const reads = new Map<string, Read>();
  for (const { variable, type: node } of operation.variableDefinitions ?? []) {
    const type = typeFromAST(schema, node) as GraphQLInputType;
    const input = getNullableType(type);
    if (variable.name.value !== WHOLE_BODY || !isInputObjectType(input)) reads.set(variable.name.value, reader(type));
    else for (const field of Object.values(input.getFields())) reads.set(field.name, reader(field.type));
  }
  return (fields) => Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, reads.get(name)?.(value) ?? value]));
}

const words: Record<string, (text: string) => unknown> = {
  Boolean: (text) => ({ true: true, false: false })[text] ?? text,
  Int: (text) => (/^-?\d+$/.test(text) ? Number(text) : text),
  Float: (text) => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text),
};

function reader(given: GraphQLInputType): Read {
  const type = getNullableType(given);
  if (isListType(type)) {
    const each = reader(type.ofType);
    return (value) => [jsonOf(value, '[')].flat().map(each);
  }
  if (!isInputObjectType(type)) {
    // A form has no other way to say that there is no such id.
    const empty = type === given && type.name === 'ID' ? null : '';
    return (value) => (value === '' ? empty : typeof value === 'string' ? (words[type.name]?.(value) ?? value) : value);
  }
  return (value) => {
    const map = jsonOf(value, '{');
    if (typeof map !== 'object' || map === null || Array.isArray(map)) return map;
    const fields = type.getFields();
    return Object.fromEntries(
      Object.entries(map).map(([name, each]) => [name, Object.hasOwn(fields, name) ? reader(fields[name]!.type)(each) : each]),
    );
  };
}

/** The value of a text that is JSON of the wanted kind. */
function jsonOf(value: unknown, opening: '[' | '{'): unknown {
  if (typeof value !== 'string' || !value.trimStart().startsWith(opening)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

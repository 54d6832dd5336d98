import type { GraphQLInputType, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { getNullableType, isInputObjectType, typeFromAST } from 'graphql';
import { fail } from '../../schema/errors.ts';
import { formReader, type Read } from './coerce.ts';
import { WHOLE_BODY } from './variables.ts';

type Fields = Record<string, unknown>;

/** Add a form field. Repeated fields become lists; `a[b]` is the key `b` of the object `a`. */
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

/** Create a function that converts form fields to the types of their variables. */
export function fieldsReader(schema: GraphQLSchema, operation: OperationDefinitionNode): (fields: Fields) => Fields {
  const reads = new Map<string, Read>();
  for (const { variable, type: node } of operation.variableDefinitions ?? []) {
    const type = typeFromAST(schema, node) as GraphQLInputType;
    const input = getNullableType(type);
    if (variable.name.value !== WHOLE_BODY || !isInputObjectType(input)) reads.set(variable.name.value, formReader(type));
    else for (const field of Object.values(input.getFields())) reads.set(field.name, formReader(field.type));
  }
  return (fields) => Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, reads.get(name)?.(value) ?? value]));
}

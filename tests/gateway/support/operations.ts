import * as fc from 'fast-check';
import type { GraphQLCompositeType, GraphQLField, GraphQLSchema } from 'graphql';
import { getNamedType, isAbstractType, isCompositeType, isLeafType, isUnionType } from 'graphql';
import { integers } from './integers.ts';

export interface Generated {
  text: string;
  variables: Record<string, unknown>;
}

type Gen = fc.GeneratorValue;

const ids = ['a1', 'a2', 'b1', 'b2', 'b3', 'b4', 't1', 't2', 'r1', 'r2', 'gone'];

/** Random operations for a schema. Their response keys may conflict: validate them before use. */
export const operations = (schema: GraphQLSchema): fc.Arbitrary<Generated> => fc.gen().map((gen) => generate(schema, gen));

function generate(schema: GraphQLSchema, gen: Gen): Generated {
  const fragments: string[] = [];
  const kind = gen(fc.constantFrom, 'query', 'query', 'query', 'query', 'mutation');
  const isMutation = kind === 'mutation';
  // Select by index, because fast-check compares its options and types have cycles.
  const oneOf = <T>(list: readonly T[]): T => list[gen(integers(0, list.length - 1))]!;
  const chance = (percent: number) => gen(integers(0, 99)) < percent;

  const selectionSet = (type: GraphQLCompositeType, depth: number): string => {
    const count = gen(integers(1, depth > 4 ? 2 : 4));
    const selections = Array.from({ length: count }, () => selection(type, depth)).filter(Boolean);
    return `{ ${selections.length > 0 ? selections.join(' ') : '__typename'} }`;
  };

  const directive = () => {
    if (!chance(12)) return '';
    return ` ${gen(fc.constantFrom, '@skip', '@include')}(if: ${gen(fc.constantFrom, '$yes', '$no', 'true', 'false')})`;
  };

  const selection = (type: GraphQLCompositeType, depth: number): string => {
    if (chance(6)) return `${chance(40) ? 'kind_: ' : ''}__typename${directive()}`;
    if (isUnionType(type) || chance(isAbstractType(type) ? 55 : 10)) return fragment(type, depth);
    const fields: GraphQLField<unknown, unknown>[] = Object.values(type.getFields()).filter(
      (field) => depth < 6 || isLeafType(getNamedType(field.type)),
    );
    if (fields.length === 0) return '';
    return fieldText(oneOf(fields), depth);
  };

  const fragment = (type: GraphQLCompositeType, depth: number): string => {
    const types = isAbstractType(type) ? [type, ...schema.getPossibleTypes(type)] : [type, ...type.getInterfaces()];
    const target = oneOf(types);
    // Apollo drops `... on Book` inside `... on Item` if it did not fetch __typename.
    const named = isAbstractType(target) && !isAbstractType(type);
    const body = selectionSet(target, depth + 1).replace('{', named ? '{ __typename' : '{');
    if (!chance(35)) return `... on ${target.name}${directive()} ${body}`;
    const name = `F${fragments.length}`;
    fragments.push(`fragment ${name} on ${target.name} ${body}`);
    return `...${name}${directive()}`;
  };

  const fieldText = (field: GraphQLField<unknown, unknown>, depth: number): string => {
    const named = getNamedType(field.type);
    const args = field.args.filter((arg) => !arg.defaultValue || chance(50)).map((arg) => `${arg.name}: ${argument(arg.name)}`);
    // Different arguments need different keys.
    const suffix = args.length > 0 ? `_${args.join('_').replace(/\W+/g, '_')}` : '';
    const alias = suffix || chance(20) ? `${gen(fc.constantFrom, field.name, 'x')}${suffix}: ` : '';
    const body = isCompositeType(named) ? ` ${selectionSet(named, depth + 1)}` : '';
    return `${alias}${field.name}${args.length > 0 ? `(${args.join(', ')})` : ''}${directive()}${body}`;
  };

  const argument = (name: string): string => {
    if (name === 'id') return chance(20) ? '$id' : JSON.stringify(gen(fc.constantFrom, ...ids));
    if (name === 'first') return chance(30) ? '$first' : String(gen(integers(0, 6)));
    if (name === 'upper') return gen(fc.constantFrom, 'true', 'false');
    if (name === 'unit') return gen(fc.constantFrom, '"m"', '$unit');
    return gen(fc.constantFrom, '{ id: "b1", name: "N" }', '{ id: $id, tags: ["q"] }');
  };

  const body = selectionSet((isMutation ? schema.getMutationType() : schema.getQueryType())!, 0);
  const all = [body, ...fragments].join('\n');
  const definitions = ['$yes: Boolean!', '$no: Boolean = false', '$id: ID!', '$first: Int', '$unit: String = "in"'].filter((each) =>
    new RegExp(`\\${each.split(':')[0]}\\b`).test(all),
  );
  // `@skip(if: $no)` requires a non-null value.
  const header = definitions.join(', ').replace('$no: Boolean =', '$no: Boolean! =');
  const variables: Record<string, unknown> = { yes: chance(60), id: gen(fc.constantFrom, ...ids) };
  if (chance(50)) variables.first = gen(integers(0, 6));
  if (chance(50)) variables.no = chance(50);
  return { text: `${kind} Generated${header && `(${header})`} ${all}`, variables };
}

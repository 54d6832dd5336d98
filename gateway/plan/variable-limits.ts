import {
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  typeFromAST,
  type ValueNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { type Data, isObject } from './context.ts';

/**
 * Yields the limits that a value breaks, as sentences that begin with `path`. `owner` is the input type of the field `name`, or the
 * field of the argument `name`. Subgraphs enforce limits; the gateway reports them only together with type errors.
 */
export type InputLimits = (owner: string, name: string, value: unknown, path: string) => Iterable<string>;

type Target = readonly [owner: string, name: string];

/** Compile a function that finds broken limits in the variables of an operation. */
export function compileLimits(
  definition: OperationDefinitionNode,
  schema: GraphQLSchema,
  limits: InputLimits,
): (given: Readonly<Data>) => Generator<string> {
  const targets = targetsOf(definition, schema);
  const variables = (definition.variableDefinitions ?? []).map(({ variable: { name }, type }) => ({
    name: name.value,
    type: typeFromAST(schema, type) as GraphQLInputType,
  }));

  function* within(value: unknown, type: GraphQLInputType, path: string): Generator<string> {
    const inner = isNonNullType(type) ? type.ofType : type;
    if (isListType(inner)) {
      // Only fields of input objects have limits.
      if (!Array.isArray(value) || !isInputObjectType(getNamedType(inner))) return;
      for (const [at, each] of value.entries()) yield* within(each, inner.ofType, `${path}[${at}]`);
      return;
    }
    if (!isInputObjectType(inner) || !isObject(value)) return;
    for (const { name, type: own } of Object.values(inner.getFields())) {
      if (!Object.hasOwn(value, name) || isMissing(value[name], own)) continue;
      const place = path ? `${path}.${name}` : name;
      yield* limits(inner.name, name, value[name], place);
      yield* within(value[name], own, place);
    }
  }

  return function* (given) {
    for (const { name, type } of variables) {
      if (!Object.hasOwn(given, name) || isMissing(given[name], type)) continue;
      for (const target of targets.get(name) ?? []) yield* limits(...target, given[name], name);
      yield* within(given[name], type, name === 'input' ? '' : name);
    }
  };
}

/** A null for a non-null type is a type error and reported as such. */
const isMissing = (value: unknown, type: GraphQLInputType) => value === null && isNonNullType(type);

/** The arguments and input fields that use each variable. */
function targetsOf(definition: OperationDefinitionNode, schema: GraphQLSchema): Map<string, Target[]> {
  const targets = new Map<string, Target[]>();
  const follow = (value: ValueNode, type: GraphQLInputType | undefined, target: Target): void => {
    if (value.kind === Kind.VARIABLE) targets.set(value.name.value, [...(targets.get(value.name.value) ?? []), target]);
    const named = type && getNamedType(type);
    if (value.kind !== Kind.OBJECT || !isInputObjectType(named)) return;
    for (const field of value.fields) {
      const name = field.name.value;
      follow(field.value, named.getFields()[name]?.type, [named.name, name]);
    }
  };
  const types = new TypeInfo(schema);
  visit(
    definition,
    visitWithTypeInfo(types, {
      Argument: ({ value }) => {
        const [argument, field] = [types.getArgument(), types.getFieldDef()];
        if (argument && field) follow(value, argument.type, [field.name, argument.name]);
      },
    }),
  );
  return targets;
}

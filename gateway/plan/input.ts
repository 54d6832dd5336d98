import {
  type DocumentNode,
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
import { fail } from '../gateway-error.ts';
import { type Data, isObject } from './context.ts';

export const maxDepth = 64;
export const tooDeep = `must not be nested deeper than ${maxDepth} levels`;
/** Entries of a list. More than any limit of a list, but few enough that reading them does not block the process for long. */
export const maxEntries = 250_000;

/** The fault of a text that PostgreSQL or JSON cannot store (NUL, lone surrogates); undefined for a valid text. */
export function textFault(text: string): string | undefined {
  if (!text.isWellFormed()) return 'must be well-formed Unicode';
  if (text.includes('\0')) return 'must not contain NUL characters';
}

/** The fault of a number that JSON parsers would silently round; undefined for a valid number. */
export function numberFault(value: number): string | undefined {
  if (!Number.isFinite(value)) return 'must be a finite number';
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    return `must be between -${Number.MAX_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`;
}

/** A fault of a part of a JSON value. The path of the value itself is empty. */
interface PlacedFault {
  readonly path: string;
  readonly message: string;
}

/** The first fault of a JSON value, including its keys. */
export function valueFault(value: unknown, depth: number, path = ''): PlacedFault | undefined {
  if (typeof value === 'string') return placed(path, textFault(value));
  if (typeof value === 'number') return placed(path, numberFault(value));
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > maxDepth) return placed(path, tooDeep);

  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      const fault = valueFault(value[at], depth + 1, `${path}[${at}]`);
      if (fault) return fault;
    }
    return undefined;
  }
  if (!isPlain(value)) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const named = textFault(key);
    if (named) return placed(path, `has a key that ${named}`);
    const fault = valueFault(inner, depth + 1, path ? `${path}.${key}` : key);
    if (fault) return fault;
  }
}

const placed = (path: string, message: string | undefined): PlacedFault | undefined =>
  message === undefined ? undefined : { path, message };

/** Class instances are validated by their scalar. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** Apply the same rules to literals in the document. Runs once per operation and throws `INVALID_INPUT`. */
export function checkDocument(document: DocumentNode): void {
  let depth = 0;
  const refuse = (fault: string | undefined, what: string) => {
    if (fault) throw fail('INVALID_INPUT', `${what} ${fault}`);
  };
  const nested = {
    enter: () => refuse(++depth > maxDepth ? tooDeep : undefined, 'a value in the operation'),
    leave: () => void depth--,
  };
  visit(document, {
    // As a key of a plain object, this name would set the prototype.
    Name: ({ value }) => refuse(value === '__proto__' ? 'cannot be used as a name' : undefined, '__proto__'),
    // The planner reserves this variable for entity representations.
    VariableDefinition: ({ variable }) =>
      refuse(variable.name.value === 'representations' ? 'cannot be used as a variable' : undefined, '$representations'),
    Directive: ({ name }) => refuse(name.value === 'stream' ? 'is not supported' : undefined, '@stream'),
    StringValue: ({ value }) => refuse(textFault(value), 'a text in the operation'),
    IntValue: ({ value }) => refuse(numberFault(Number(value)), 'a number in the operation'),
    FloatValue: ({ value }) => refuse(numberFault(Number(value)), 'a number in the operation'),
    ListValue: nested,
    ObjectValue: nested,
  });
}

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

import type { Operation } from 'compiled-gateway';
import {
  type DocumentNode,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  Kind,
  type OperationDefinitionNode,
  separateOperations,
  TypeInfo,
  type ValueNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { constraintOf } from '../schema/directives.ts';
import { fail } from '../schema/errors.ts';

/** Whether a body has a content encoding, such as gzip. The servers do not decode bodies, so they must reject these. */
export const isEncoded = ({ 'content-encoding': encoding = '' }: { 'content-encoding'?: string }): boolean =>
  !/^(\s*identity\s*(,|$))*\s*$/i.test(encoding);

const [QUOTE, BACKSLASH, COLON, OPEN_LIST, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = Buffer.from('"\\:[]{}');

/** Measure the depth of a JSON text and count the members of its objects, including duplicates. */
export function measureJson(text: string): { depth: number; members: number } {
  let [members, depth, deepest] = [0, 0, 0];
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) at = endOfString(text, at + 1);
    else if (character === COLON) members++;
    else if (character === OPEN_MAP || character === OPEN_LIST) deepest = Math.max(deepest, ++depth);
    else if (character === CLOSE_MAP || character === CLOSE_LIST) depth--;
  }
  return { depth: deepest, members };
}

function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = at;
    while (slashes > start && text.charCodeAt(slashes - 1) === BACKSLASH) slashes--;
    if ((at - slashes) % 2 === 0) return at;
  }
  return text.length;
}

/** Whether an object of a parsed value lost members, because `JSON.parse` keeps only the last of each name. */
export const hasDuplicateKeys = (value: unknown, members: number): boolean => countKeys(value) !== members;

/** Like `hasDuplicateKeys`, for a text. False for text that is not JSON. */
export function namesKeyTwice(text: string): boolean {
  try {
    return hasDuplicateKeys(JSON.parse(text), measureJson(text).members);
  } catch {
    return false;
  }
}

/** Not recursive, because the depth of a value is not limited. */
function countKeys(value: unknown): number {
  let count = 0;
  const open = [value];
  for (let each = open.pop(); each !== undefined; each = open.pop()) {
    if (typeof each !== 'object' || each === null) continue;
    const children: unknown[] = Object.values(each);
    if (!Array.isArray(each)) count += children.length;
    for (const child of children) if (typeof child === 'object' && child !== null) open.push(child);
  }
  return count;
}

/** A list in the variables of an operation. */
interface List {
  variable: string;
  /** The keys from the value of the variable to the list. */
  path: readonly string[];
  name: string;
  maxItems: number;
}

/** Depth of input objects up to which lists are found. */
const DEPTH = 3;

/**
 * Refuse variables with too long lists before any of their elements is read. The subgraphs enforce the same limits, but only after they
 * have converted all elements, which takes a second of processor time for some 100,000.
 */
export function limitLists(
  operation: Operation,
  document: DocumentNode,
  definition: OperationDefinitionNode,
  schema: GraphQLSchema,
): Operation {
  // Fragments of other operations may use a variable of the same name.
  const lists = listsOf(separateOperations(document)[definition.name?.value ?? '']!, schema);
  if (lists.length === 0) return operation;
  const limited =
    <Result>(run: (...given: Parameters<Operation['execute']>) => Promise<Result>): typeof run =>
    async (variables, context) => {
      const excess = lists.find((list) => sizeOf(list, variables) > list.maxItems);
      if (!excess) return run(variables, context);
      return { errors: [fail('INVALID_INPUT', `${excess.name} must have at most ${excess.maxItems} entries`)] } as Result;
    };
  const { executeInParts } = operation;
  return {
    execute: limited((variables, context) => operation.execute(variables, context)),
    executeInParts: executeInParts && limited(executeInParts),
    subscribe: (variables, context) => operation.subscribe(variables, context),
  };
}

function sizeOf({ variable, path }: List, variables: Readonly<Record<string, unknown>>): number {
  let value = variables[variable];
  for (const key of path) value = (value as Record<string, unknown> | null | undefined)?.[key];
  return Array.isArray(value) ? value.length : 0;
}

function listsOf(document: DocumentNode, schema: GraphQLSchema): List[] {
  const lists: List[] = [];
  const types = new TypeInfo(schema);
  const add = (value: ValueNode, target: GraphQLArgument | GraphQLInputField | null | undefined) => {
    if (value.kind !== Kind.VARIABLE || !target) return;
    const variable = value.name.value;
    const { maxItems } = constraintOf(target) ?? {};
    if (maxItems !== undefined) lists.push({ variable, path: [], name: target.name, maxItems });
    for (const list of fieldsOf(target.type)) lists.push({ variable, ...list });
  };
  const visitor = visitWithTypeInfo(types, {
    Argument: ({ value }) => add(value, types.getArgument()),
    ObjectField({ name, value }) {
      const parent = getNamedType(types.getParentInputType());
      if (isInputObjectType(parent)) add(value, parent.getFields()[name.value]);
    },
  });
  visit(document, visitor);
  return lists;
}

function* fieldsOf(type: GraphQLInputType, path: string[] = []): Generator<Omit<List, 'variable'>> {
  const named = getNamedType(type);
  if (!isInputObjectType(named) || path.length === DEPTH) return;
  for (const field of Object.values(named.getFields())) {
    const inner = [...path, field.name];
    const { maxItems } = constraintOf(field) ?? {};
    if (maxItems !== undefined) yield { path: inner, name: inner.join('.'), maxItems };
    yield* fieldsOf(field.type, inner);
  }
}

import {
  type DocumentNode,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLFormattedError,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { fail } from '../gateway-error.ts';
import {
  type CollectContext,
  countFields,
  type DeferredSelection,
  fieldsFor,
  fragmentsOf,
  type KeyTree,
  meets,
  rootTypeOf,
  switchesOf,
} from '../selection.ts';
import type { Answer } from '../source-contract.ts';
import {
  addParts,
  agreeing,
  type Complete,
  count,
  leafOf,
  listOf,
  NULL,
  nonNull,
  nullable,
  type PendingPart,
  placeParts,
  type Trace,
} from './complete.ts';
import { type Data, type ExecutionState, isInherited, isObject, own } from './context.ts';
import { faultOf } from './deferred-fetches.ts';
import { compileIntrospection } from './introspection.ts';
import { divideErrors, isBelow, lazy, type Places, placesOf, responsePath, type Shown } from './subgraph-errors.ts';

/** Writes the answer of an execution. `pending` receives the parts that follow it. */
export type Respond = (run: ExecutionState, pending?: PendingPart[]) => Answer;

/** Writes one part of a response in parts. `nested` receives the parts within it. */
export type CompletePart = (run: ExecutionState, place: PlacedPart, nested: PendingPart[]) => Answer;

interface PlacedPart {
  readonly part: PendingPart;
  /** The response path of the part. */
  readonly path: readonly (string | number)[];
  readonly errors: readonly GraphQLFormattedError[];
  /** The places of the other parts that are not sent yet. */
  readonly waiting?: () => Places;
}

/** Maximum cached variants of one response, and maximum fields over all variants. */
const maxVariants = 32;
const maxFields = 4_000;

/** Compile one projection per combination of `@skip` and `@include` values, so that a projection evaluates no conditions. */
export function compileResponse(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  schema: GraphQLSchema,
  responseKey: (key: string) => string,
  how: Pick<CollectContext, 'omitNull' | 'place' | 'hidden'> = {},
): Respond {
  const fragments = fragmentsOf(document);
  const switches = switchesOf(document);
  const root = rootTypeOf(schema, operation);
  const variants = new Map<string, Project>();
  const maxCached = Math.max(1, Math.min(maxVariants, Math.floor(maxFields / countFields(document))));

  const compileVariant = (variables: Readonly<Data>): Project => {
    const collecting: CollectContext = {
      schema,
      operation,
      fragments,
      responseKey,
      ...how,
      switches: Object.fromEntries(switches.map((name) => [name, variables[name]])),
    };
    return objectOf(root, [operation.selectionSet], collecting, how.omitNull);
  };
  const variantFor = (variables: Readonly<Data>) => {
    const key = switches.map((name) => (variables[name] ? '1' : '0')).join('');
    let variant = variants.get(key);
    if (!variant) {
      // Bound the cache, because callers choose the combinations.
      if (variants.size >= maxCached) variants.clear();
      variant = compileVariant(variables);
      variants.set(key, variant);
    }
    return variant;
  };

  return (run, pending) =>
    answerOf(variantFor(run.variables), run.data, run, { path: [], errors: run.errors, pending }, responseKey);
}

/** Compile the writing of the parts that follow a first answer. */
export const compileParts =
  (responseKey: (key: string) => string): CompletePart =>
  (run, { part, ...place }, pending) => {
    try {
      return answerOf(part.complete, part.value, run, { ...place, pending }, responseKey);
    } catch (error) {
      run.deferred!.sent.endPart(true);
      pending.length = 0;
      return { errors: [faultOf(error)] };
    }
  };

const nowhere = (): Places => new Set();

/** Write the data of an answer, or of a part of it at a path. */
function answerOf(
  project: Project,
  value: Data,
  { variables, context: { budget }, deferred, denied = [] }: ExecutionState,
  { path, errors, pending, waiting = nowhere }: Omit<PlacedPart, 'part'> & { pending?: PendingPart[] },
  responseKey: (key: string) => string,
): Answer {
  if (budget?.refusal) return { errors: [budget.refusal.toJSON()] };
  const limit = budget?.limit ?? Number.POSITIVE_INFINITY;
  const pathLength = path.length === 0 ? 0 : JSON.stringify(path).length;
  const trace: Trace = {
    variables,
    budget,
    length: deferred?.length ?? 0,
    limit,
    message: '',
    pending,
    pathLength,
    sent: deferred?.sent,
  };
  let data: string;
  try {
    data = project(value, trace)!;
  } catch (error) {
    if (!budget?.refusal || error !== budget.refusal) throw error;
    if (pending) pending.length = 0;
    return { errors: [budget.refusal.toJSON()] };
  }
  if (deferred) deferred.length = trace.length;
  deferred?.sent.endPart(data === NULL);
  if (data === NULL && pending) pending.length = 0;
  // As in Apollo's gateway, an unexplained null is an error only when it makes the whole response null.
  if (data === NULL && errors.length + denied.length === 0) {
    const place = trace.path && [...path, ...responsePath(trace.path.reverse(), responseKey)];
    return { errors: [{ ...fail('INTERNAL_SERVER_ERROR', trace.message).toJSON(), path: place }], data };
  }
  if (errors.length === 0) return denied.length === 0 ? { data } : { errors: denied, data };
  const nested = lazy(() => placesOf((pending ?? []).map((each) => [...path, ...each.path.toReversed()])));
  const isLater: Shown['isLater'] = (each) => data !== NULL && (isBelow(each, nested()) || isBelow(each, waiting()));
  const { now, later } = divideErrors(errors, { path, data: JSON.parse(data), isLater });
  deferred?.held.push(...later);
  return denied.length + now.length === 0 ? { data } : { errors: [...denied, ...now], data };
}

interface Field {
  readonly key: string;
  readonly inherited: boolean;
  /** The key as JSON, with the preceding brace or comma. */
  readonly head: string;
  readonly complete: Complete;
  /** Nested objects count their own length. */
  readonly isLeaf: boolean;
  /** Omit the field when it is null. */
  readonly omitNull: boolean;
}

/** Writes the JSON of the response from the data: the selected fields in their order. */
type Project = Complete;

/** Compile the fields once per runtime type, so that writing an object evaluates no fragments. */
function objectOf(
  type: GraphQLCompositeType,
  selections: SelectionSetNode[],
  collecting: CollectContext,
  omit?: KeyTree,
): Complete {
  const byType = new Map<unknown, Complete>();
  const writerOf = (runtime: GraphQLCompositeType) => {
    const deferred: DeferredSelection[] = [];
    const fields = compileFields(runtime, selections, collecting, { omit, deferred });
    const writeFields = fields.some(({ omitNull }) => omitNull) ? writeSome(fields) : writeAll(fields);
    const writeAny = deferred.length > 0 ? deferring(writeFields, runtime, deferred, collecting) : writeFields;
    const write = collecting.place === undefined ? writeAny : agreeing(writeAny, collecting.place);
    byType.set(runtime.name, write);
    return write;
  };
  if (isObjectType(type)) {
    const write = writerOf(type);
    return (value, trace) => (isObject(value) ? write(value, trace) : NULL);
  }
  return (value, trace) => {
    if (!isObject(value)) return NULL;
    const name = value.__typename ?? type.name;
    const write = byType.get(name);
    if (write) return write(value, trace);
    // An inaccessible type becomes null, and so does one that cannot occur here.
    const runtime = typeof name === 'string' ? collecting.schema.getType(name) : undefined;
    return isCompositeType(runtime) && meets(collecting.schema, runtime, type) ? writerOf(runtime)(value, trace) : NULL;
  };
}

/** Report the deferred fragments of an object after its other fields are written. */
function deferring(
  write: Complete,
  type: GraphQLCompositeType,
  deferred: readonly DeferredSelection[],
  collecting: CollectContext,
): Complete {
  const parts = deferred.map(({ label, selectionSet }) => ({ label, complete: objectOf(type, [selectionSet], collecting) }));
  return (value, trace) => {
    const text = write(value, trace);
    if (text !== NULL && text !== undefined) addParts(trace, value as Data, parts);
    return text;
  };
}

function writeAll(fields: readonly Field[]): Complete {
  if (fields.length === 0) return () => '{}';
  return (value, trace) => {
    let text = '';
    let length = 0;
    for (let at = 0; at < fields.length; at++) {
      const { key, inherited, head, complete, isLeaf } = fields[at]!;
      const completed = complete(inherited ? own(value as Data, key) : (value as Data)[key], trace);
      if (completed === undefined) return passUp(key, trace);
      text += head + completed;
      length += isLeaf ? head.length + completed.length : head.length;
    }
    count(length, trace);
    return `${text}}`;
  };
}

/** Like `writeAll`, for objects with fields that are omitted when null. */
function writeSome(fields: readonly Field[]): Complete {
  return (value, trace) => {
    let text = '';
    for (const { key, head, complete, omitNull, isLeaf } of fields) {
      const completed = complete(own(value as Data, key), trace);
      if (completed === undefined) return passUp(key, trace);
      count(isLeaf ? head.length + completed.length : head.length, trace);
      if (!omitNull || completed !== NULL) text += (text === '' ? '{' : ',') + head.slice(1) + completed;
    }
    return text === '' ? '{}' : `${text}}`;
  };
}

function passUp(key: string, trace: Trace): string {
  trace.path!.push(key);
  return NULL;
}

function compileFields(
  type: GraphQLCompositeType,
  selections: SelectionSetNode[],
  collecting: CollectContext,
  { omit, deferred }: { omit?: KeyTree; deferred: DeferredSelection[] },
): Field[] {
  return [...fieldsFor(type, selections, collecting, collecting.place === undefined ? undefined : deferred)].map(
    ([key, nodes], at) => ({
      key,
      isLeaf: nodes.every(({ selectionSet }) => !selectionSet) || nodes[0]!.name.value.startsWith('__'),
      inherited: isInherited(key),
      head: `${at === 0 ? '{' : ','}${JSON.stringify(collecting.responseKey(key))}:`,
      complete: placed(compileField(type, nodes, collecting, omit?.get(collecting.responseKey(key))), key, collecting),
      omitNull: omit?.get(collecting.responseKey(key))?.size === 0,
    }),
  );
}

/** Add the key of a field to the paths of the deferred parts below it. */
function placed(complete: Complete, key: string, { place, responseKey }: CollectContext): Complete {
  if (place === undefined) return complete;
  const step = responseKey(key);
  return (value, trace) => {
    const from = trace.pending!.length;
    const text = complete(value, trace);
    placeParts(trace, from, step, text);
    return text;
  };
}

function compileField(parent: GraphQLCompositeType, nodes: FieldNode[], collecting: CollectContext, omit?: KeyTree): Complete {
  const name = nodes[0]!.name.value;
  if (name === '__typename') {
    const text = JSON.stringify(parent.name);
    // The runtime type of an interface object is unknown when no subgraph resolved it.
    return isObjectType(parent) ? () => text : nonNull(() => NULL, `Cannot tell the type of ${parent.name}.`);
  }
  if (name.startsWith('__')) {
    const introspect = compileIntrospection(nodes, collecting);
    return (_, { variables }) => introspect(variables);
  }

  const type = (parent as { getFields?: () => Record<string, { type: GraphQLOutputType }> }).getFields?.()[name]?.type;
  if (!type) throw new Error(`${parent.name} has no field ${name}`);
  const message = `Cannot return null for non-nullable field ${parent.name}.${name}.`;
  if (nodes.every((node) => collecting.hidden?.has(node))) return isNonNullType(type) ? nonNull(() => NULL, message) : () => NULL;
  const named = getNamedType(type);
  const selected = nodes.flatMap((node) => node.selectionSet ?? []);
  const inner = isLeafType(named) ? leafOf(named) : objectOf(named, selected, below(collecting, nodes[0]!), omit);
  return wrap(type, inner, message);
}

const below = (collecting: CollectContext, { alias, name }: FieldNode): CollectContext =>
  collecting.place === undefined ? collecting : { ...collecting, place: `${collecting.place}.${(alias ?? name).value}` };

/** Wrap the completion of a named type in its lists and non-nulls. */
function wrap(type: GraphQLOutputType, inner: Complete, message: string): Complete {
  if (isNonNullType(type)) return nonNull(bare(type.ofType, inner, message), message);
  return isLeafType(type) ? inner : nullable(bare(type, inner, message));
}

const bare = (type: GraphQLOutputType, inner: Complete, message: string): Complete =>
  isListType(type) ? listOf(wrap(type.ofType, inner, message)) : inner;

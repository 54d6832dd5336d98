import type { Answer, Gateway, Operation, RequestContext } from 'compiled-gateway';
import { type Check, type Cost, costOf, Faults, type Limits, type Outcome } from 'compiled-gateway/graphql-over-http';
import {
  type DocumentNode,
  type ExecutionResult,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  type OperationTypeNode,
  type SelectionSetNode,
} from 'graphql';
import { type Need, needOf } from '../../schema/directives.ts';
import { fail } from '../../schema/errors.ts';
import type { Admission, Admit } from '../../schema/request.ts';
import { truncate } from '../../schema/text.ts';
import { limitLists } from '../input-limits.ts';
import type { Lifetime } from '../lifetime.ts';
import type { Meter } from './allowance.ts';
import { errorsOf, revive } from './graphql-response.ts';

/** A valid operation from a caller. */
export interface Accepted {
  readonly kind: OperationTypeNode;
  /** Kind and name for the log; without a name the first fields. */
  readonly title: string;
  readonly cost: Cost;
  /** Fields of the document, with fragments expanded. */
  readonly fields: number;
  /** The least need of its root fields. */
  readonly need: Need;
  /** Whether the operation was planned before. */
  readonly isPlanned: boolean;
  /** Plan and compile the operation, once. Planning is expensive, so check the cost first. */
  plan(): Operation;
  /** Whether the operation selects only introspection fields, whose result is the same for all callers. */
  readonly schemaOnly: boolean;
}

/** Validates a document and selects the operation. Throws a `GraphQLError`, or `Faults` when there are several. */
export type Accept = (document: DocumentNode, operationName?: string | null) => Accepted;

/** Create the validation of operations for all transports. Results are cached by document. */
export function createAccept(gateway: Gateway, check: Check, limits: Limits): Accept {
  const accepted = new WeakMap<DocumentNode, Map<string, Accepted>>();

  const accept = (document: DocumentNode, name: string | undefined): Accepted => {
    const { faults, fields } = check(document);
    if (faults.length > 0) throw new Faults(faults);
    const definition = getOperationAST(document, name);
    if (!definition) throw unresolved(name);
    let operation: Operation | undefined;
    return {
      kind: definition.operation,
      title: titleOf(definition),
      fields,
      need: leastNeed(document, name, gateway.schema),
      get isPlanned() {
        return operation !== undefined;
      },
      plan() {
        operation ??= limitLists(gateway.prepare(document, { operationName: name }), document, definition, gateway.schema);
        return operation;
      },
      cost: costOf(document, definition, gateway, limits.listSize),
      schemaOnly: asksForSchema(definition),
    };
  };

  return (document, operationName) => {
    const key = operationName ?? '';
    const known = accepted.get(document);
    const found = known?.get(key);
    if (found) return found;
    const made = accept(document, operationName ?? undefined);
    if (known) known.set(key, made);
    else accepted.set(document, new Map([[key, made]]));
    return made;
  };
}

const MAX_TITLE = 100;

function titleOf({ operation, name, selectionSet: { selections } }: OperationDefinitionNode): string {
  const fields = selections.slice(0, 3).flatMap((each) => (each.kind === Kind.FIELD ? each.name.value : []));
  return truncate(`${operation} ${name?.value ?? `{ ${fields.join(' ')} }`}`, MAX_TITLE);
}

function asksForSchema({ selectionSet: { selections } }: OperationDefinitionNode): boolean {
  return selections.every((each) => each.kind === Kind.FIELD && /^__(schema|type)$/.test(each.name.value));
}

const unresolved = (name: string | undefined) =>
  new GraphQLError(name ? `The document has no operation "${name}"` : 'operationName must select one of the operations', {
    extensions: { code: 'OPERATION_RESOLUTION_FAILURE' },
  });

const order: readonly Need[] = ['nothing', 'user', 'organization'];

/**
 * The least need of the root fields of an operation. The document may be invalid: unknown fields need nothing, so that
 * validation reports them. `__typename` does not count.
 */
export function leastNeed(document: DocumentNode, operationName: string | null | undefined, schema: GraphQLSchema): Need {
  const definition = getOperationAST(document, operationName);
  const fields = definition && schema.getRootType(definition.operation)?.getFields();
  if (!fields) return 'nothing';
  const fragments = new Map(
    document.definitions.flatMap((each) => (each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each] as const] : [])),
  );
  const needs = [...rootNames(definition.selectionSet, fragments)].map((name) => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    return field ? needOf(field) : 'nothing';
  });
  return order.find((need) => needs.includes(need)) ?? 'nothing';
}

/** The names of the root fields. Each fragment is followed once, because it may refer to itself. */
function rootNames(
  { selections }: SelectionSetNode,
  fragments: Map<string, FragmentDefinitionNode>,
  names = new Set<string>(),
): Set<string> {
  for (const each of selections) {
    if (each.kind === Kind.FIELD) {
      if (each.name.value !== '__typename') names.add(each.name.value);
      continue;
    }
    const part = each.kind === Kind.INLINE_FRAGMENT ? each : fragments.get(each.name.value);
    if (each.kind === Kind.FRAGMENT_SPREAD) fragments.delete(each.name.value);
    if (part) rootNames(part.selectionSet, fragments, names);
  }
  return names;
}

/** Cost of an operation that counts as one more point. */
const COST_PER_POINT = 1_000;

/** Fields of a new document that count as one more point. Planning blocks the thread, so documents that never repeat are expensive. */
const NEW_FIELDS_PER_POINT = 10;

/** The access and the rate limit of a GraphQL request before its operation is known. It counts one point. */
export const REQUIREMENT = { access: 'public', counter: 'graphql' } as const;

interface ChargeOptions {
  admit?: Admit;
  /** Maximum cost of an operation. */
  limit: number;
}

/**
 * Count the points of an expensive operation, or of a new one with many fields. Returns undefined if there are none, because the request is
 * counted already, and for an operation above the limit, which does not run.
 */
export async function chargeOperation(
  { admit, limit }: ChargeOptions,
  context: RequestContext,
  { cost, fields, isPlanned }: Accepted,
  variables: Readonly<Record<string, unknown>> | null | undefined,
): Promise<Admission | undefined> {
  const requested = cost(variables ?? {});
  if (requested > limit) return undefined;
  const points = Math.floor(requested / COST_PER_POINT) + (isPlanned ? 0 : Math.floor(fields / NEW_FIELDS_PER_POINT));
  return points > 0 ? admit?.(context, { ...REQUIREMENT, points }) : undefined;
}

/**
 * The refusal of a caller who may use none of the fields of an operation, because it is no member of the organization of the request. Only
 * for a caller with a key.
 * @param organizationId of the request; none if it was not admitted to one
 */
export async function refusalOf(
  admit: Admit | undefined,
  context: RequestContext,
  { need }: Accepted,
  organizationId: string | null | undefined,
): Promise<Admission['refusal']> {
  if (need !== 'organization' || organizationId) return null;
  return (await admit?.(context, { ...REQUIREMENT, access: 'organization', level: 'member', points: 0 }))?.refusal;
}

/** The input of one execution, on any transport. */
export interface ExecutionRequest {
  variables?: Readonly<Record<string, unknown>> | null;
  context: RequestContext;
  lifetime: Lifetime;
  /** That of a caller without a key. */
  meter?: Meter;
  /** Add the cost to the response. */
  wantsCost?: boolean;
  /** Whether the caller accepts the response of an operation with `@defer` in parts. */
  inParts?: boolean;
}

export interface Execution {
  /** Run a query or mutation. */
  answer(accepted: Accepted, request: ExecutionRequest): Promise<Outcome>;
  /** Returns a stream, or one result when the operation is refused. */
  subscribe(accepted: Accepted, request: ExecutionRequest): Promise<AsyncIterable<Answer> | ExecutionResult>;
}

/** Create the execution of accepted operations. Failures become results with errors; its methods never reject. */
export function createExecution({ cost: limit }: Pick<Limits, 'cost'>): Execution {
  return {
    async answer(accepted, { variables, context, lifetime, meter, wantsCost, inParts }) {
      const { plan, cost } = accepted;
      const given = variables ?? {};
      const requested = cost(given);
      const shown = wantsCost && { extensions: { cost: { requested, limit } } };
      try {
        if (requested > limit) throw costExceeded(requested, limit);
        const start = (): Promise<Outcome> => {
          const { execute, executeInParts } = plan();
          return inParts && executeInParts ? executeInParts(given, context) : execute(given, context);
        };
        const answered = await lifetime.within(metered(accepted, meter, start));
        const { deferred } = answered;
        // All parts after the first have one timeout together. Its signal ends them.
        if (deferred) lifetime.within(new Promise<void>((resolve) => deferred.events.onEnd(resolve))).catch(() => {});
        return shown ? { ...answered, ...shown } : answered;
      } catch (error) {
        return { errors: errorsOf(error), ...shown };
      }
    },

    async subscribe(accepted, { variables, context, lifetime, meter }) {
      const { plan, cost } = accepted;
      const given = variables ?? {};
      const requested = cost(given);
      try {
        if (requested > limit) throw costExceeded(requested, limit);
        const start = () => plan().subscribe(given, context);
        const events = await lifetime.opening(metered(accepted, meter, start), endStream);
        return Symbol.asyncIterator in events ? events : toExecutionResult(events);
      } catch (error) {
        return { errors: errorsOf(error) };
      }
    },
  };
}

/** The first run of an operation plans it and compiles the requests to the subgraphs, before it waits for anything. */
const metered = <T>({ isPlanned }: Accepted, meter: Meter | undefined, start: () => T): T =>
  meter && !isPlanned ? meter.spend(start) : start();

const endStream = (events: AsyncIterable<Answer> | Answer) =>
  Symbol.asyncIterator in events && events[Symbol.asyncIterator]().return?.();

const costExceeded = (cost: number, limit: number) =>
  fail('INVALID_INPUT', `The operation costs ${cost}, more than the maximum of ${limit}: request fewer fields or shorter lists`);

/** Parse the data of an outcome, for consumers that need objects. */
export const toExecutionResult = ({ errors, data, extensions }: Outcome): ExecutionResult => ({
  ...(data !== undefined && { data: JSON.parse(data) }),
  ...(errors && { errors: errors.map(revive) }),
  ...(extensions && { extensions }),
});

import type { PlanNode } from '@apollo/query-planner';
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  visit,
} from 'graphql';
import { checkLiterals } from '../documents/document-check.ts';
import { fail } from '../gateway-error.ts';
import type { Planner } from '../planner/planner.ts';
import { fragmentsOf, keyTree, shapeOf } from '../selection.ts';
import type { FirstAnswer, Operation, PrepareOptions, RequestContext } from '../source-contract.ts';
import type { AccessRules } from '../supergraph/access-rules.ts';
import type { SentInputs } from '../usage/collector.ts';
import { type AllowedPart, guardOf, guardOperation } from './access-filter.ts';
import type { PendingPart } from './complete.ts';
import { type Compilation, type CompiledOperation, catchRefusal, type ExecutionState, Refusal } from './context.ts';
import {
  awaitedFetches,
  deferConditionsOf,
  makeIdsUnique,
  streamParts,
  withLabels,
  withoutDefer,
  withoutUnplannable,
} from './defer.ts';
import { DeferredFetches } from './deferred-fetches.ts';
import { compileParts, compileResponse } from './response.ts';
import { withSharedObjects } from './shared-objects.ts';
import { compileNode } from './steps.ts';
import { compileSubscription } from './subscription.ts';
import type { InputLimits } from './variable-limits.ts';
import { compileVariables, type Scalars } from './variables.ts';

/** The schemas, planner and settings that all operations of a gateway share. */
export interface Graph extends Omit<Compilation, 'plan' | 'selection' | 'responseKey' | 'isDeferring'> {
  readonly schema: GraphQLSchema;
  readonly accessRules: AccessRules;
  /** Refuse an operation with a field that the caller may not select, instead of leaving out the field. */
  readonly rejectUnauthorized: boolean;
  readonly planner: Planner;
  readonly scalars: Scalars;
  readonly limits?: InputLimits;
}

interface CompileOptions extends PrepareOptions {
  /** Marks the inputs that each request sends. */
  sent?: SentInputs;
}

/** Plan and compile one operation of a valid document. Throws `INVALID_INPUT` when the gateway cannot serve it. */
export function compileOperation(given: DocumentNode, how: CompileOptions, graph: Graph): CompiledOperation {
  const { document, responseKey } = renameReservedAliases(given, graph.planner.reserved);
  const conditions = deferConditionsOf(document);
  const complete = conditions ? withoutDefer(document) : document;
  const whole = compileWhole({ document, complete, conditions }, how, graph, responseKey);
  const guard = guardOf(complete, definitionOf(complete, how.operationName), { ...graph, responseKey });
  if (!guard) return whole;
  return guardOperation(whole, guard, (allowed) => compileComplete(complete, how, graph, responseKey, allowed));
}

interface WholeOperation {
  document: DocumentNode;
  /** The document without `@defer`. */
  complete: DocumentNode;
  /** The variables of `@defer(if: …)`; undefined without `@defer`. */
  conditions: readonly string[] | undefined;
}

/** Compile an operation with all its fields. */
function compileWhole(
  { document, complete: withoutParts, conditions }: WholeOperation,
  how: CompileOptions,
  graph: Graph,
  responseKey: ResponseKey,
): CompiledOperation {
  const complete = compileComplete(withoutParts, how, graph, responseKey);
  if (!conditions) return complete;
  const definition = definitionOf(document, how.operationName);
  if (definition.operation === OperationTypeNode.SUBSCRIPTION || conditions.length > MAX_CONDITIONS) return complete;
  return {
    ...complete,
    executeInParts: compileInParts({ document, definition, conditions, sent: how.sent }, graph, responseKey, complete.execute),
  };
}

/** Variables of `@defer(if: …)` that an operation may have. With more, nothing is deferred: each combination needs a plan in memory. */
const MAX_CONDITIONS = 1;

function definitionOf(document: DocumentNode, operationName: string | undefined): OperationDefinitionNode {
  const definition = getOperationAST(document, operationName);
  if (!definition)
    throw fail(
      'INVALID_INPUT',
      operationName
        ? `The document has no operation named ${operationName}`
        : 'The document has several operations: operationName must select one',
    );
  return definition;
}

type ResponseKey = RenamedOperation['responseKey'];

/**
 * Compile an operation that has one complete answer, or one for each event.
 * @param allowed the part to plan; the other fields are null in the answer
 */
function compileComplete(
  document: DocumentNode,
  { operationName, omitNull, sent }: CompileOptions,
  graph: Graph,
  responseKey: ResponseKey,
  allowed?: AllowedPart,
): CompiledOperation {
  const definition = definitionOf(document, operationName);
  checkLiterals(document);

  const readVariables = compileVariables(definition, graph.schema, graph.scalars, graph.limits, sent);
  const { planned, shown, hidden } = allowed ?? { planned: definition, shown: definition, hidden: undefined };
  const documentOf = (each: OperationDefinitionNode) =>
    each === definition ? document : { kind: Kind.DOCUMENT as const, definitions: [each] };
  const respond = compileResponse(documentOf(shown), shown, graph.schema, responseKey, {
    omitNull: omitNull && keyTree(omitNull),
    hidden,
  });
  const node = planned && graph.planner.plan(documentOf(planned), planned);
  const compilation: Compilation = {
    ...graph,
    responseKey,
    selection: shapeOf(definition.selectionSet, fragmentsOf(document)),
    plan: node?.kind === 'Subscription' ? node.rest : node,
  };

  const start = (given: Readonly<Record<string, unknown>>, context: RequestContext): ExecutionState => {
    context.budget?.restart();
    const variables = readVariables(given);
    const denied = allowed?.denied(variables);
    if (denied?.length && graph.rejectUnauthorized) throw new Refusal(denied);
    return { data: {}, variables, context, errors: [], denied };
  };

  if (node?.kind === 'Subscription') return compileSubscription(node, compilation, start, respond);
  const step = node && compileNode(node, compilation);
  const execute: Operation['execute'] = (given, context) =>
    catchRefusal(async () => {
      const run = start(given, context);
      await step?.(run);
      return respond(run);
    });
  return { execute, subscribe: execute };
}

interface DeferredOperation {
  document: DocumentNode;
  definition: OperationDefinitionNode;
  /** The variables of `@defer(if: …)`. */
  conditions: readonly string[];
  sent?: SentInputs;
}

/** Compile an operation with `@defer`, once for each combination of its conditions. */
function compileInParts(
  { document, definition, conditions, sent }: DeferredOperation,
  graph: Graph,
  responseKey: ResponseKey,
  complete: CompiledOperation['execute'],
): NonNullable<Operation['executeInParts']> {
  const readVariables = compileVariables(definition, graph.schema, graph.scalars, graph.limits, sent);
  const completePart = compileParts(responseKey);

  const compile = (variables: Readonly<Record<string, unknown>>) => {
    const labeled = withLabels(document, definition, variables);
    if (labeled.labels.size === 0) return undefined;
    const withoutSome = (each: DocumentNode) => withoutUnplannable(each, graph.schema, graph.planner.interfaceObjects);
    const operationOf = (each: DocumentNode) => definitionOf(each, definition.name?.value);
    const plannable = withoutSome(labeled.document);
    const operation = operationOf(plannable);
    let plan: PlanNode | undefined;
    try {
      const planned = withoutSome(withSharedObjects(plannable, operation, graph));
      plan = graph.planner.plan(planned, operationOf(planned)) as PlanNode | undefined;
    } catch {
      // Apollo's planner cannot defer a requirement below a condition. A complete answer is always allowed.
      return undefined;
    }
    if (plan && definition.operation === OperationTypeNode.MUTATION) makeIdsUnique(plan);
    const selection = shapeOf(operation.selectionSet, fragmentsOf(plannable));
    return {
      labels: labeled.labels,
      step: plan && compileNode(plan, { ...graph, responseKey, selection, plan, isDeferring: true }),
      respond: compileResponse(plannable, operation, graph.schema, responseKey, { place: '' }),
      awaited: awaitedFetches(plan),
    };
  };
  const variants = new Map<string, ReturnType<typeof compile>>();
  const variantFor = (variables: Readonly<Record<string, unknown>>) => {
    const key = conditions.map((name) => (variables[name] === false ? '0' : '1')).join('');
    if (!variants.has(key)) variants.set(key, compile(variables));
    return variants.get(key);
  };

  return (given, context) =>
    catchRefusal<FirstAnswer>(async () => {
      context.budget?.restart();
      const variables = readVariables(given);
      const variant = variantFor(variables);
      if (!variant) return complete(given, context);
      const { labels, step, respond, awaited } = variant;
      const run: ExecutionState = { data: {}, variables, context, errors: [], deferred: new DeferredFetches(awaited) };
      await step?.(run);
      const pending: PendingPart[] = [];
      const answer = respond(run, pending);
      return pending.length === 0 ? answer : { ...answer, deferred: streamParts(run, pending, labels, completePart) };
    });
}

/** An operation whose aliases cannot collide with fields that the plan fetches for its own use. */
interface RenamedOperation {
  readonly document: DocumentNode;
  /** Maps a key of the fetched data to its key in the response. */
  responseKey(key: string): string;
}

const unchanged = (key: string): string => key;

/**
 * Rename aliases that collide with reserved names. The planner fetches keys and required fields under their own names, so
 * `{ id: name price }` would send the name as the id. The response restores the original aliases.
 */
function renameReservedAliases(document: DocumentNode, reserved: ReadonlySet<string>): RenamedOperation {
  const aliases = new Set<string>();
  let hasCollision = false;
  const isReserved = ({ name, alias }: FieldNode) => alias !== undefined && alias.value !== name.value && reserved.has(alias.value);
  visit(document, {
    Field(field) {
      aliases.add((field.alias ?? field.name).value);
      hasCollision ||= isReserved(field);
    },
  });
  if (!hasCollision) return { document, responseKey: unchanged };

  let suffix = '__as';
  while ([...aliases].some((alias) => alias.endsWith(suffix))) suffix += '_';
  const renamed: DocumentNode = visit(document, {
    Field: (field) =>
      isReserved(field) ? { ...field, alias: { kind: Kind.NAME, value: field.alias!.value + suffix } } : undefined,
  });
  return { document: renamed, responseKey: (key) => (key.endsWith(suffix) ? key.slice(0, -suffix.length) : key) };
}

import { type DocumentNode, type FieldNode, type GraphQLSchema, getOperationAST, Kind, visit } from 'graphql';
import { fail } from '../gateway-error.ts';
import type { Planner } from '../planner/planner.ts';
import { fragmentsOf, keyTree, shapeOf } from '../selection.ts';
import type { Operation, PrepareOptions, RequestContext } from '../source-contract.ts';
import type { Compilation, CompiledOperation, ExecutionState } from './context.ts';
import { checkDocument, type InputLimits } from './input.ts';
import { compileResponse } from './response.ts';
import { compileNode } from './steps.ts';
import { catchRefusal } from './subgraph-errors.ts';
import { compileSubscription } from './subscription.ts';
import { compileVariables, type Scalars } from './variables.ts';

/** The schemas, planner and settings that all operations of a gateway share. */
export interface Graph extends Omit<Compilation, 'plan' | 'selection' | 'responseKey'> {
  readonly schema: GraphQLSchema;
  readonly planner: Planner;
  readonly scalars: Scalars;
  readonly limits?: InputLimits;
}

/** Plan and compile one operation of a valid document. Throws `INVALID_INPUT` when the gateway cannot serve it. */
export function compileOperation(
  given: DocumentNode,
  { operationName, omitNull }: PrepareOptions,
  graph: Graph,
): CompiledOperation {
  const { document, responseKey } = renameReservedAliases(given, graph.planner.reserved);
  const definition = getOperationAST(document, operationName);
  if (!definition)
    throw fail(
      'INVALID_INPUT',
      operationName
        ? `The document has no operation named ${operationName}`
        : 'The document has several operations: operationName must select one',
    );
  checkDocument(document);

  const readVariables = compileVariables(definition, graph.schema, graph.scalars, graph.limits);
  const respond = compileResponse(document, definition, graph.schema, responseKey, omitNull && keyTree(omitNull));
  const node = graph.planner.plan(document, definition);
  const compilation: Compilation = {
    ...graph,
    responseKey,
    selection: shapeOf(definition.selectionSet, fragmentsOf(document)),
    plan: node?.kind === 'Subscription' ? node.rest : node,
  };

  const start = (given: Readonly<Record<string, unknown>>, context: RequestContext): ExecutionState => {
    context.budget?.restart();
    return { data: {}, variables: readVariables(given), context, errors: [] };
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

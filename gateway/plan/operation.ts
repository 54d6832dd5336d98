import type { DocumentNode, GraphQLSchema } from 'graphql';
import { getOperationAST } from 'graphql';
import type { Operation, PrepareOptions, RequestContext } from '../contract.ts';
import { keyTree } from '../document/select.ts';
import { fragmentsOf, shapeOf } from '../document/shape.ts';
import { fail } from '../errors.ts';
import type { Planner } from '../planner/planner.ts';
import { renameReservedAliases } from './aliases.ts';
import { compileNode } from './compile.ts';
import type { CompiledOperation } from './compiled.ts';
import { catchRefusal } from './errors.ts';
import { checkDocument } from './input.ts';
import type { Scalars } from './leaves.ts';
import type { Limits } from './limits.ts';
import { compileResponse } from './response.ts';
import type { Run } from './run.ts';
import type { Setting } from './setting.ts';
import { compileSubscription } from './subscribe.ts';
import { compileVariables } from './variables.ts';

/** The schemas, planner and settings that all operations of a gateway share. */
export interface Graph extends Omit<Setting, 'plan' | 'selection' | 'responseKey'> {
  readonly schema: GraphQLSchema;
  readonly planner: Planner;
  readonly scalars: Scalars;
  readonly limits?: Limits;
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
    throw fail('INVALID_INPUT', operationName ? `There is no operation called ${operationName}` : 'Say which operation to run');
  checkDocument(document);

  const readVariables = compileVariables(definition, graph.schema, graph.scalars, graph.limits);
  const respond = compileResponse(document, definition, graph.schema, responseKey, omitNull && keyTree(omitNull));
  const node = graph.planner.plan(document, definition);
  const setting: Setting = {
    ...graph,
    responseKey,
    selection: shapeOf(definition.selectionSet, fragmentsOf(document)),
    plan: node?.kind === 'Subscription' ? node.rest : node,
  };

  const start = (given: Readonly<Record<string, unknown>>, context: RequestContext): Run => {
    context.budget?.restart();
    return { data: {}, variables: readVariables(given), context, errors: [] };
  };

  if (node?.kind === 'Subscription') return compileSubscription(node, setting, start, respond);
  const step = node && compileNode(node, setting);
  const execute: Operation['execute'] = (given, context) =>
    catchRefusal(async () => {
      const run = start(given, context);
      await step?.(run);
      return respond(run);
    });
  return { execute, subscribe: execute };
}

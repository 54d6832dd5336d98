import { operationFromDocument, Supergraph } from '@apollo/federation-internals';
import type { PlanNode, SubscriptionNode } from '@apollo/query-planner';
import { QueryPlanner } from '@apollo/query-planner';
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { getOperationAST, parse } from 'graphql';
import { withTypes } from '../document/fragments.ts';
import { withoutIntrospection } from '../document/introspection.ts';
import type { Selecting } from '../document/select.ts';
import { fieldsFor } from '../document/select.ts';
import { fragmentsOf, shapeOf } from '../document/shape.ts';
import { fail } from '../errors.ts';
import { unconditional } from './conditions.ts';
import { apiOf, withDefaults } from './directives.ts';
import { plannable } from './plannable.ts';
import { withConditionsOn } from './repeated.ts';
import { written } from './required.ts';

export type KeysOf = (subgraph: string, type: string) => readonly (readonly string[])[];

export interface Planner {
  /** Names that plans use for themselves. */
  readonly reserved: ReadonlySet<string>;
  /** The keys by which a subgraph finds entities of a type, each as the names of its fields. */
  readonly keysOf: KeysOf;
  /** How the subgraphs are asked for an operation; nothing when there is nothing to ask. */
  plan(document: DocumentNode, operation: OperationDefinitionNode): PlanNode | SubscriptionNode | undefined;
}

/** Apollo's planner, over a supergraph that is made for it, its plans put into the words of the subgraphs. */
export function createPlanner(supergraph: string, api: GraphQLSchema): Planner {
  const made = plannable(supergraph);
  // What was composed is sound, but a field that is required with arguments only may now look as if nobody used it.
  const planner = new QueryPlanner(Supergraph.build(made.sdl, { validateSupergraph: false }));
  const schema = apiOf(planner.supergraph);
  const requiring = new Set([...made.requires.keys()].map((each) => each.slice(each.lastIndexOf('.') + 1)));
  return {
    reserved: made.reserved,
    keysOf: (subgraph, type) => made.keysOf.get(`${subgraph}.${type}`) ?? [],
    plan(document, definition) {
      const operationName = definition.name?.value;
      const sure = withConditionsOn(unconditional(withoutIntrospection(document), api, made.opaque), requiring);
      const asked = withDefaults(withTypes(sure, api), api);
      const node = planned(
        () => planner.buildQueryPlan(operationFromDocument(schema, asked, { operationName, validate: false })).node,
      );
      const [lost] = unplanned(document, definition, node, api);
      if (lost) throw fail('INVALID_INPUT', `No subgraph can answer what is selected below ${lost}`);
      return node && written(node, made);
    },
  };
}

/** What composes may still be out of reach: then the planner throws, in words that are for its authors. */
function planned<T>(plan: () => T): T {
  try {
    return plan();
  } catch (cause) {
    throw Object.assign(fail('INVALID_INPUT', 'The subgraphs cannot answer this selection'), { cause });
  }
}

/**
 * The planner leaves out a field of the root without a word when nothing below it can be answered by any subgraph: an
 * interface that no type implements. Conditions are not looked into.
 */
function unplanned(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  node: PlanNode | SubscriptionNode | undefined,
  schema: GraphQLSchema,
): string[] {
  const setting: Selecting = { operation, schema, fragments: fragmentsOf(document), switches: {}, told: (key) => key };
  const fields = fieldsFor(schema.getRootType(operation.operation)!, [operation.selectionSet], setting);
  const planned = new Set(node && rootKeys(node));
  return [...fields].filter(([key, [field]]) => !field!.name.value.startsWith('__') && !planned.has(key)).map(([key]) => key);
}

/** The keys that fetches bring to the root of the data. */
function rootKeys(node: PlanNode | SubscriptionNode): string[] {
  switch (node.kind) {
    case 'Fetch': {
      const document = parse(node.operation, { noLocation: true });
      return [...shapeOf(getOperationAST(document)!.selectionSet, fragmentsOf(document)).keys()];
    }
    case 'Subscription':
      return rootKeys(node.primary);
    case 'Sequence':
    case 'Parallel':
      return node.nodes.flatMap(rootKeys);
    case 'Condition':
      return [node.ifClause, node.elseClause].flatMap((each) => (each ? rootKeys(each) : []));
    default:
      return [];
  }
}

import { operationFromDocument, type Schema, type Subgraphs } from '@apollo/federation-internals';
import type { PlanNode, SubscriptionNode } from '@apollo/query-planner';
import { QueryPlanner } from '@apollo/query-planner';
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { getOperationAST, isInterfaceType, isObjectType, parse } from 'graphql';
import { fail } from '../gateway-error.ts';
import type { CollectContext } from '../selection.ts';
import { fieldsFor, fragmentsOf, rootTypeOf, shapeOf } from '../selection.ts';
import { apiOf, buildSupergraph } from '../supergraph/contents.ts';
import { makePlannable, type Plannable } from './plannable.ts';
import { prepareDocument } from './prepare-document.ts';
import { rewritePlan } from './requirements.ts';

export type KeysOf = (subgraph: string, type: string) => readonly (readonly string[])[];

export interface Planner {
  /** Field names that plans add to selections. */
  readonly reserved: ReadonlySet<string>;
  /** The resolvable keys of a type in a subgraph, each as a list of field names. */
  readonly keysOf: KeysOf;
  /** The object types with a key. */
  readonly entities: ReadonlySet<string>;
  /** The interfaces that are object types in a subgraph. */
  readonly interfaceObjects: ReadonlySet<string>;
  /** The subgraphs, with requirements and keys changed for planning. */
  readonly subgraphs: Subgraphs;
  /** Plan an operation. Returns undefined when it needs no subgraph; throws `INVALID_INPUT` when no plan exists. */
  plan(document: DocumentNode, operation: OperationDefinitionNode): PlanNode | SubscriptionNode | undefined;
}

/** Create a planner that runs Apollo's planner on a changed supergraph and rewrites its plans for the subgraphs. */
export function createPlanner(supergraph: string, api: GraphQLSchema): Planner {
  const { plannable, planner, schema } = apolloPlanner(supergraph);
  const requiring = new Set([...plannable.requires.keys()].map((each) => each.slice(each.lastIndexOf('.') + 1)));
  const interfaceObjects = new Set(plannable.interfaceObjectKeys.keys());
  const keyed = [...plannable.keysOf.keys()].map((each) => each.slice(each.lastIndexOf('.') + 1));
  const entities = new Set(keyed.filter((name) => isObjectType(api.getType(name))));
  // A fetch for one type of an interface object can write its field into objects of the other types.
  const shared = [...interfaceObjects].flatMap((name) => {
    const type = api.getType(name);
    return isInterfaceType(type) ? Object.keys(type.getFields()) : [];
  });
  return {
    reserved: new Set([...plannable.reserved, ...shared]),
    entities,
    interfaceObjects,
    subgraphs: planner.supergraph.subgraphs(),
    keysOf: (subgraph, type) => plannable.keysOf.get(`${subgraph}.${type}`) ?? [],
    plan(document, definition) {
      const operationName = definition.name?.value;
      const complete = prepareDocument(document, api, plannable.interfaceObjectKeys, requiring);
      const node = planOrRefuse(
        () => planner.buildQueryPlan(operationFromDocument(schema, complete, { operationName, validate: false })).node,
      );
      const [unanswerable] = unplanned(document, definition, node, api);
      if (unanswerable) throw fail('INVALID_INPUT', `No subgraph can resolve the selection below ${unanswerable}`);
      return node && rewritePlan(node, plannable);
    },
  };
}

interface ApolloPlanner {
  supergraph: string;
  plannable: Plannable;
  planner: QueryPlanner;
  schema: Schema;
}

/** The gateways of a process usually have the same supergraph, and a replaced one must not stay in memory. */
let latest: ApolloPlanner | undefined;

/** Return Apollo's planner for a supergraph. Creating it takes most of the time. */
function apolloPlanner(supergraph: string): ApolloPlanner {
  if (latest?.supergraph === supergraph) return latest;
  const plannable = makePlannable(supergraph);
  // Composition validated the original. A changed requirement could make an external field look unused.
  const planner = new QueryPlanner(buildSupergraph(plannable.sdl, false), {
    incrementalDelivery: { enableDefer: true },
  });
  latest = { supergraph, plannable, planner, schema: apiOf(planner.supergraph) };
  return latest;
}

/**
 * Replace an error of the planner, which is not meant for callers. Composition does not guarantee that every field is reachable.
 */
function planOrRefuse<T>(plan: () => T): T {
  try {
    return plan();
  } catch (cause) {
    throw Object.assign(fail('INVALID_INPUT', 'The subgraphs cannot resolve this selection'), { cause });
  }
}

/**
 * Find root fields that the planner silently dropped because no subgraph can answer them, such as an interface without
 * implementations. Conditions are ignored.
 */
function unplanned(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  node: PlanNode | SubscriptionNode | undefined,
  schema: GraphQLSchema,
): string[] {
  const collecting: CollectContext = {
    operation,
    schema,
    fragments: fragmentsOf(document),
    switches: {},
    responseKey: (key) => key,
  };
  const fields = fieldsFor(rootTypeOf(schema, operation), [operation.selectionSet], collecting);
  const planned = new Set(node && rootKeys(node));
  return [...fields].filter(([key, [field]]) => !field!.name.value.startsWith('__') && !planned.has(key)).map(([key]) => key);
}

/** The root keys that the fetches of a plan return. */
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
    case 'Defer':
      return [node.primary, ...node.deferred].flatMap((part) => (part.node ? rootKeys(part.node) : []));
    case 'Flatten':
      return node.path.length === 0 ? rootKeys(node.node) : [];
  }
}

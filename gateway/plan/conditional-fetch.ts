import type { FetchNode } from '@apollo/query-planner';
import type { GraphQLSchema, SelectionNode, SelectionSetNode } from 'graphql';
import { getOperationAST, isObjectType, Kind, parse } from 'graphql';
import { isCondition } from '../document/select.ts';
import { fragmentOf, fragmentsOf } from '../document/shape.ts';
import type { Run, Step } from './run.ts';

/** Variables with the values that they must have. */
type Conditions = readonly { name: string; on: boolean }[];

/**
 * Skip a fetch when its conditions exclude all its fields. Its requirements have the same conditions, so the subgraph would receive
 * incomplete entities.
 */
export function skipWhenExcluded(step: Step, node: FetchNode, supergraph: GraphQLSchema): Step {
  const needs = needsOf(node, supergraph);
  // An empty list means that the fetch only checks types or existence.
  if (needs.length === 0 || needs.some((conditions) => conditions.length === 0)) return step;
  const isNeeded = ({ variables }: Run) => needs.some((need) => need.every(({ name, on }) => (variables[name] === true) === on));
  return (run) => (isNeeded(run) ? step(run) : undefined);
}

/** The conditions of each field in a fetch. */
function needsOf({ operation, requires }: FetchNode, supergraph: GraphQLSchema): Conditions[] {
  const document = parse(operation, { noLocation: true });
  const definition = getOperationAST(document)!;
  const fragments = fragmentsOf(document);
  const needs: Conditions[] = [];
  const collect = ({ selections }: SelectionSetNode, typeName: string, outer: Conditions) => {
    for (const selection of selections) {
      const conditions = [...outer, ...conditionsOf(selection)];
      if (selection.kind === Kind.FIELD) {
        // The type of an object is known without a fetch.
        if (selection.name.value !== '__typename' || !isObjectType(supergraph.getType(typeName))) needs.push(conditions);
        continue;
      }
      const inner = fragmentOf(selection, fragments);
      collect(inner.selectionSet, inner.typeCondition?.name.value ?? typeName, conditions);
    }
  };
  const [first] = definition.selectionSet.selections;
  if (!requires) collect(definition.selectionSet, supergraph.getRootType(definition.operation)!.name, []);
  else if (first?.kind === Kind.FIELD && first.selectionSet) collect(first.selectionSet, '', []);
  return needs;
}

const conditionsOf = ({ directives }: SelectionNode): Conditions =>
  (directives ?? [])
    .filter(isCondition)
    .flatMap(({ name, arguments: [condition] = [] }) =>
      condition?.value.kind === Kind.VARIABLE ? [{ name: condition.value.name.value, on: name.value === 'include' }] : [],
    );

import type { ConstDirectiveNode, ConstValueNode, TypeNode } from 'graphql';
import { Kind } from 'graphql';

/** How the directives of a supergraph are read. */
export const argumentOf = (directive: ConstDirectiveNode, name: string): ConstValueNode | undefined =>
  directive.arguments?.find((each) => each.name.value === name)?.value;

/** The subgraph that a directive speaks of, as `join__Graph` lists it; empty when it speaks of none. */
export const graphOf = (directive: ConstDirectiveNode): string => {
  const graph = argumentOf(directive, 'graph');
  return graph?.kind === Kind.ENUM ? graph.value : '';
};

export const isTrue = (directive: ConstDirectiveNode, name: string): boolean => {
  const value = argumentOf(directive, name);
  return value?.kind === Kind.BOOLEAN && value.value;
};

/** The name of a type without lists and non-nulls. */
export const nameOf = (type: TypeNode): string => (type.kind === Kind.NAMED_TYPE ? type.name.value : nameOf(type.type));

import type { ConstDirectiveNode, ConstValueNode, TypeNode } from 'graphql';
import { Kind } from 'graphql';

/** The value of a directive argument in a supergraph. */
export const argumentOf = (directive: ConstDirectiveNode, name: string): ConstValueNode | undefined =>
  directive.arguments?.find((each) => each.name.value === name)?.value;

/** The `graph` argument of a directive, a value of `join__Graph`; empty when it is absent. */
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

import type { DocumentNode, GraphQLSchema } from 'graphql';
import { Kind, OperationTypeNode, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import { fragmentsOf } from './shape.ts';

/**
 * Add a type condition to every inline fragment. The planner aliases fields that a subgraph could not merge (`id: ID` and
 * `id: ID!`), but it ignores fragments without a type condition.
 */
export function withTypes(document: DocumentNode, schema: GraphQLSchema): DocumentNode {
  const info = new TypeInfo(schema);
  const visitor = visitWithTypeInfo(info, {
    InlineFragment(fragment) {
      const type = info.getParentType();
      if (fragment.typeCondition || !type) return undefined;
      return { ...fragment, typeCondition: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: type.name } } };
    },
  });
  return visit(document, visitor);
}

/** Remove type conditions on root types, because a subgraph may name its root types differently. */
export function withoutRootTypes(document: DocumentNode, schema: GraphQLSchema): DocumentNode {
  const roots = new Set(Object.values(OperationTypeNode).map((operation) => schema.getRootType(operation)?.name));
  const ofRoots = new Map([...fragmentsOf(document)].filter(([, { typeCondition }]) => roots.has(typeCondition.name.value)));
  return visit(document, {
    InlineFragment: (fragment) =>
      roots.has(fragment.typeCondition?.name.value) ? { ...fragment, typeCondition: undefined } : undefined,
    FragmentSpread({ name, directives }) {
      const fragment = ofRoots.get(name.value);
      return fragment && { kind: Kind.INLINE_FRAGMENT, directives, selectionSet: fragment.selectionSet };
    },
    FragmentDefinition: ({ name }) => (ofRoots.has(name.value) ? null : undefined),
  });
}

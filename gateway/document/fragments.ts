import type { DocumentNode, GraphQLSchema } from 'graphql';
import { Kind, OperationTypeNode, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import { fragmentsOf } from './shape.ts';

/**
 * The document with a type for every fragment. The planner gives fields another key where a subgraph could not merge them
 * (`id: ID` of one type, `id: ID!` of another), but does not find those in fragments without a type.
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

/** The document without the names of the root types: those of the supergraph, which a subgraph may know by others. */
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

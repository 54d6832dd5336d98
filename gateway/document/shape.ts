import type { DocumentNode, FieldNode, FragmentDefinitionNode, InlineFragmentNode, SelectionNode, SelectionSetNode } from 'graphql';
import { Kind } from 'graphql';

/** The response keys that a selection can produce for any type. A leaf maps to null, an object or list of objects to its shape. */
export type Shape = Map<string, Shape | null>;

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

export const fragmentsOf = (document: DocumentNode): Fragments =>
  new Map(
    document.definitions.flatMap((each) => (each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each] as const] : [])),
  );

/** The fragment of an inline fragment or a fragment spread. */
export const fragmentOf = (
  selection: Exclude<SelectionNode, FieldNode>,
  fragments: Fragments,
): InlineFragmentNode | FragmentDefinitionNode =>
  selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value)! : selection;

/** Compute the shape of a selection. It separates objects, which are merged and walked, from JSON leaves, which are copied. */
export function shapeOf({ selections }: SelectionSetNode, fragments: Fragments, shape: Shape = new Map()): Shape {
  for (const selection of selections) {
    if (selection.kind !== Kind.FIELD) shapeOf(fragmentOf(selection, fragments).selectionSet, fragments, shape);
    else {
      const key = (selection.alias ?? selection.name).value;
      shape.set(key, selection.selectionSet ? shapeOf(selection.selectionSet, fragments, shape.get(key) ?? new Map()) : null);
    }
  }
  return shape;
}

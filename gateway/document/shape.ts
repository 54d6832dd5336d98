import type { DocumentNode, FieldNode, FragmentDefinitionNode, InlineFragmentNode, SelectionNode, SelectionSetNode } from 'graphql';
import { Kind } from 'graphql';

/** The response keys a selection can produce, whatever the type: null for a leaf, a shape for an object or a list of them. */
export type Shape = Map<string, Shape | null>;

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

export const fragmentsOf = (document: DocumentNode): Fragments =>
  new Map(
    document.definitions.flatMap((each) => (each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each] as const] : [])),
  );

/** What stands behind a selection that is no field: the fragment itself, whether it is written there or elsewhere. */
export const fragmentOf = (
  selection: Exclude<SelectionNode, FieldNode>,
  fragments: Fragments,
): InlineFragmentNode | FragmentDefinitionNode =>
  selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value)! : selection;

/** What tells objects from opaque JSON: only what was selected is ever merged or walked, a leaf is taken as it is. */
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

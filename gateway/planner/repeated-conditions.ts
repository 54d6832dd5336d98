import type { DirectiveNode, DocumentNode, SelectionNode, SelectionSetNode } from 'graphql';
import { Kind } from 'graphql';
import { isCondition } from '../document/select.ts';
import { fragmentOf, fragmentsOf } from '../document/shape.ts';

type Conditions = readonly DirectiveNode[];

/**
 * Repeat the conditions of enclosing selections on fields with these names, which have requirements. The planner fetches such
 * fields after their requirements and then applies only their own conditions. Only the nearest condition of each kind is
 * repeated.
 */
export function repeatConditions(document: DocumentNode, names: ReadonlySet<string>): DocumentNode {
  if (names.size === 0) return document;
  const fragments = fragmentsOf(document);
  let changed = false;

  const within = (set: SelectionSetNode, outer: Conditions): SelectionSetNode => ({
    ...set,
    selections: set.selections.map((selection): SelectionNode => {
      const inner = [...outer, ...(selection.directives?.filter(isCondition) ?? [])];
      if (selection.kind !== Kind.FIELD) {
        const { typeCondition, selectionSet } = fragmentOf(selection, fragments);
        const { directives } = selection;
        return { kind: Kind.INLINE_FRAGMENT, typeCondition, directives, selectionSet: within(selectionSet, inner) };
      }
      const missing = names.has(selection.name.value) ? missingConditions(selection.directives ?? [], outer) : [];
      changed ||= missing.length > 0;
      const directives = missing.length > 0 ? [...(selection.directives ?? []), ...missing] : selection.directives;
      return { ...selection, directives, selectionSet: selection.selectionSet && within(selection.selectionSet, inner) };
    }),
  });

  const definitions = document.definitions.map((each) =>
    each.kind === Kind.OPERATION_DEFINITION ? { ...each, selectionSet: within(each.selectionSet, []) } : each,
  );
  return changed ? { ...document, definitions } : document;
}

function missingConditions(own: Conditions, outer: Conditions): DirectiveNode[] {
  const present = new Set(own.filter(isCondition).map(({ name }) => name.value));
  return outer.toReversed().filter(({ name }) => !present.has(name.value) && present.add(name.value));
}

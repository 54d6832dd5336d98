import type { DirectiveNode, DocumentNode, SelectionNode, SelectionSetNode } from 'graphql';
import { Kind } from 'graphql';
import { isCondition } from '../document/select.ts';
import { fragmentOf, fragmentsOf } from '../document/shape.ts';

type Conditions = readonly DirectiveNode[];

/**
 * The document with the conditions of what stands around a field repeated on the field itself, if its name is one of `names`:
 * those of fields with requirements. The planner asks for these once more, after what they require, and then knows their own
 * conditions only. A field can say one condition of each kind, the nearest.
 */
export function withConditionsOn(document: DocumentNode, names: ReadonlySet<string>): DocumentNode {
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
      const missing = names.has(selection.name.value) ? unsaid(selection.directives ?? [], outer) : [];
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

function unsaid(own: Conditions, outer: Conditions): DirectiveNode[] {
  const said = new Set(own.filter(isCondition).map(({ name }) => name.value));
  return outer.toReversed().filter(({ name }) => !said.has(name.value) && said.add(name.value));
}

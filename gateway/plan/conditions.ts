import type { DocumentNode, FieldNode, SelectionNode, SelectionSetNode } from 'graphql';
import { Kind, visit } from 'graphql';
import type { Fragments } from './shape.ts';
import { fragmentsOf } from './shape.ts';

const typename: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } };

const isConditional = ({ directives }: SelectionNode): boolean =>
  directives?.some(({ name }) => name.value === 'skip' || name.value === 'include') ?? false;

/** A selection with the conditions settled that are written out; null when it is not to be there at all. */
function settled<Node extends SelectionNode>(selection: Node): Node | null | undefined {
  let off = false;
  const open = selection.directives?.filter(({ name, arguments: [condition] = [] }) => {
    if ((name.value !== 'skip' && name.value !== 'include') || condition?.value.kind !== Kind.BOOLEAN) return true;
    off ||= condition.value.value === (name.value === 'skip');
    return false;
  });
  if (off) return null;
  return open?.length === selection.directives?.length ? undefined : { ...selection, directives: open };
}

/**
 * The document with something unconditional in every object. Where all that is selected below a field has conditions, the
 * planner takes them for conditions of the field, and does not ask for it at all when they are off. Conditions that are `true`
 * or `false` it forgets in some places, so they are settled before.
 */
export function unconditional(document: DocumentNode): DocumentNode {
  const sure: DocumentNode = visit(document, {
    Field: settled,
    InlineFragment: settled,
    FragmentSpread: settled,
    SelectionSet: { leave: (set) => (set.selections.length === 0 ? { ...set, selections: [typename] } : undefined) },
  });
  const fragments = fragmentsOf(sure);
  return visit(sure, {
    Field: {
      leave(field: FieldNode) {
        if (!field.selectionSet || holdsField(field.selectionSet, fragments)) return undefined;
        const selections = [...field.selectionSet.selections, typename];
        return { ...field, selectionSet: { ...field.selectionSet, selections } };
      },
    },
  });
}

const holdsField = ({ selections }: SelectionSetNode, fragments: Fragments): boolean =>
  selections.some((selection) => {
    if (isConditional(selection)) return false;
    if (selection.kind === Kind.FIELD) return true;
    const inner = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value)! : selection;
    return holdsField(inner.selectionSet, fragments);
  });

import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  type InlineFragmentNode,
  isCompositeType,
  isListType,
  isUnionType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Planner } from '../planner/planner.ts';
import { fragmentOf, fragmentsOf, isDefer, labelOf, rootTypeOf, type Shape, shapeOf } from '../selection.ts';

/** The selections of a deferred fragment: shared objects, whose fields are deferred instead, and all others. */
interface Divided {
  readonly shared: SelectionNode[];
  readonly own: SelectionNode[];
}

/**
 * Let a plan fetch a list or an entity once if a deferred fragment and others select it: it defers the fields of the objects instead. Two fetches
 * can return different objects, which would be mixed. The fields of other objects stay deferred, because they would come with the object.
 * @param definition has only inline fragments with `@defer`, with a label each
 */
export function withSharedObjects(
  document: DocumentNode,
  definition: OperationDefinitionNode,
  { schema, planner }: { schema: GraphQLSchema; planner: Pick<Planner, 'entities'> },
): DocumentNode {
  const fragments = fragmentsOf(document);
  let count = 0;

  const typeIn = ({ typeCondition }: InlineFragmentNode | FragmentDefinitionNode, parent: GraphQLCompositeType) => {
    const type = typeCondition && schema.getType(typeCondition.name.value);
    return isCompositeType(type) ? type : parent;
  };

  /** @param outer the fields of the same objects outside of the set */
  const share = (set: SelectionSetNode, parent: GraphQLCompositeType, outer: readonly Shape[]): SelectionSetNode => {
    const selections = set.selections.flatMap((selection, at): SelectionNode[] => {
      if (selection.kind === Kind.FRAGMENT_SPREAD || !holdsDefer(selection)) return [selection];
      const others = [...outer, shapeOf({ ...set, selections: set.selections.toSpliced(at, 1) }, fragments)];
      if (selection.kind === Kind.FIELD) {
        const { type } = fieldType(parent, selection)!;
        return [{ ...selection, selectionSet: share(selection.selectionSet!, type, below(others, selection)) }];
      }
      const type = typeIn(selection, parent);
      const selectionSet = share(selection.selectionSet, type, others);
      const label = labelOf(selection);
      if (label === undefined) return [{ ...selection, selectionSet }];
      const { shared, own } = divide(selectionSet, type, others, label);
      const directives = selection.directives?.filter((each) => !isDefer(each));
      return [...around({ ...selection, directives }, shared), ...around(selection, own)];
    });
    return { ...set, selections };
  };

  const divide = (set: SelectionSetNode, parent: GraphQLCompositeType, outer: readonly Shape[], label: string): Divided => {
    const divided: Divided = { shared: [], own: [] };
    const add = (selection: FieldNode | InlineFragmentNode, { shared, own }: Divided) => {
      divided.shared.push(...around(selection, shared));
      divided.own.push(...around(selection, own));
    };
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) {
        const field = fieldType(parent, selection);
        const others = below(outer, selection);
        if (!field || others.length === 0) divided.own.push(selection);
        else if (!field.isList && !planner.entities.has(field.type.name))
          add(selection, divide(selection.selectionSet!, field.type, others, label));
        else divided.shared.push({ ...selection, selectionSet: deferred(selection.selectionSet!, `${label}/${count++}`) });
        continue;
      }
      const fragment = fragmentOf(selection, fragments);
      const { selectionSet, typeCondition } = fragment;
      const inner = labelOf(selection) === undefined && divide(selectionSet, typeIn(fragment, parent), outer, label);
      if (!inner || inner.shared.length === 0) divided.own.push(selection);
      else add({ kind: Kind.INLINE_FRAGMENT, typeCondition, directives: selection.directives, selectionSet }, inner);
    }
    return divided;
  };

  const selectionSet = share(definition.selectionSet, rootTypeOf(schema, definition), []);
  const definitions = document.definitions.map((each) => (each === definition ? { ...definition, selectionSet } : each));
  return { ...document, definitions };
}

/** A selection with others below it; nothing without any. */
const around = (selection: FieldNode | InlineFragmentNode, selections: readonly SelectionNode[]): SelectionNode[] =>
  selections.length === 0 ? [] : [{ ...selection, selectionSet: { kind: Kind.SELECTION_SET, selections } }];

function deferred(selectionSet: SelectionSetNode, value: string): SelectionSetNode {
  const name = (text: string) => ({ kind: Kind.NAME, value: text }) as const;
  const label = { kind: Kind.ARGUMENT, name: name('label'), value: { kind: Kind.STRING, value } } as const;
  const directives = [{ kind: Kind.DIRECTIVE, name: name('defer'), arguments: [label] } as const];
  return { kind: Kind.SELECTION_SET, selections: [{ kind: Kind.INLINE_FRAGMENT, directives, selectionSet }] };
}

const holdsDefer = (selection: SelectionNode): boolean =>
  selection.kind !== Kind.FRAGMENT_SPREAD &&
  (selection.directives?.some(isDefer) || selection.selectionSet?.selections.some(holdsDefer) || false);

const below = (shapes: readonly Shape[], { alias, name }: FieldNode): Shape[] =>
  shapes.flatMap((each) => each.get((alias ?? name).value) ?? []);

/** The type of the objects of a field; undefined for a leaf. */
function fieldType(parent: GraphQLCompositeType, { name }: FieldNode) {
  const given = isUnionType(parent) ? undefined : parent.getFields()[name.value]?.type;
  const type = given && getNamedType(given);
  return isCompositeType(type) ? { type, isList: isListType(getNullableType(given)) } : undefined;
}

import type { DocumentNode, FieldNode, GraphQLSchema, GraphQLType, SelectionNode, SelectionSetNode } from 'graphql';
import { getNamedType, isInterfaceType, isLeafType, Kind, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import { isCondition } from '../document/select.ts';
import type { Fragments } from '../document/shape.ts';
import { fragmentOf, fragmentsOf } from '../document/shape.ts';

const fieldCalled = (name: string): FieldNode => ({ kind: Kind.FIELD, name: { kind: Kind.NAME, value: name } });

const isConditional = ({ directives }: SelectionNode): boolean => directives?.some(isCondition) ?? false;

/** A selection with the conditions settled that are written out; null when it is not to be there at all. */
function settled<Node extends SelectionNode>(selection: Node): Node | null | undefined {
  let off = false;
  const open = selection.directives?.filter((directive) => {
    const [condition] = directive.arguments ?? [];
    if (!isCondition(directive) || condition?.value.kind !== Kind.BOOLEAN) return true;
    off ||= condition.value.value === (directive.name.value === 'skip');
    return false;
  });
  if (off) return null;
  return open?.length === selection.directives?.length ? undefined : { ...selection, directives: open };
}

/** Fields of keys, by the types that a subgraph knows without their real type. */
export type Opaque = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * The document with something unconditional in every object. Where all that is selected below a field has conditions, the
 * planner takes them for conditions of the field, and does not ask for it at all when they are off. Conditions that are `true`
 * or `false` it forgets in some places, so they are settled before.
 */
export function unconditional(document: DocumentNode, schema: GraphQLSchema, opaque: Opaque = new Map()): DocumentNode {
  /** A field that every subgraph has at hand. The real type of an interface object would have to be asked for elsewhere. */
  const known = (given: GraphQLType | null | undefined): FieldNode => {
    const type = given && getNamedType(given);
    const keys = isInterfaceType(type)
      ? Object.values(type.getFields()).filter(({ name }) => opaque.get(type.name)?.has(name))
      : [];
    return fieldCalled(keys.find((key) => isLeafType(getNamedType(key.type)))?.name ?? '__typename');
  };
  const info = new TypeInfo(schema);
  const settling = visitWithTypeInfo(info, {
    Field: settled,
    InlineFragment: settled,
    FragmentSpread: settled,
    SelectionSet: {
      leave: (set: SelectionSetNode) =>
        set.selections.length === 0 ? { ...set, selections: [known(info.getParentType())] } : undefined,
    },
  });
  const sure: DocumentNode = visit(document, settling);
  const fragments = fragmentsOf(sure);
  const adding = visitWithTypeInfo(info, {
    Field: {
      leave(field: FieldNode) {
        if (!field.selectionSet || holdsField(field.selectionSet, fragments)) return undefined;
        const selections = [...field.selectionSet.selections, known(info.getType())];
        return { ...field, selectionSet: { ...field.selectionSet, selections } };
      },
    },
  });
  return visit(sure, adding);
}

const holdsField = ({ selections }: SelectionSetNode, fragments: Fragments): boolean =>
  selections.some((selection) => {
    if (isConditional(selection)) return false;
    if (selection.kind === Kind.FIELD) return true;
    return holdsField(fragmentOf(selection, fragments).selectionSet, fragments);
  });

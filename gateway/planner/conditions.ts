import type { DocumentNode, FieldNode, GraphQLSchema, GraphQLType, SelectionNode, SelectionSetNode } from 'graphql';
import { getNamedType, isInterfaceType, isLeafType, Kind, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import { isCondition } from '../document/select.ts';
import type { Fragments } from '../document/shape.ts';
import { fragmentOf, fragmentsOf } from '../document/shape.ts';

const fieldCalled = (name: string): FieldNode => ({ kind: Kind.FIELD, name: { kind: Kind.NAME, value: name } });

const isConditional = ({ directives }: SelectionNode): boolean => directives?.some(isCondition) ?? false;

/** Evaluate the literal conditions of a selection. Returns null when they exclude it, undefined when nothing changes. */
function evaluateConditions<Node extends SelectionNode>(selection: Node): Node | null | undefined {
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

/** The key fields of interface objects, by interface name. */
export type InterfaceObjectKeys = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Add an unconditional field to every object. When all selections below a field are conditional, the planner moves the conditions
 * to the field and skips it when they are false. It also loses some literal conditions, so they are evaluated first.
 */
export function unconditional(
  document: DocumentNode,
  schema: GraphQLSchema,
  interfaceObjectKeys: InterfaceObjectKeys = new Map(),
): DocumentNode {
  /**
   * A field that needs no extra fetch: a key of an interface object, whose runtime type is in another subgraph, or `__typename`.
   */
  const stableField = (given: GraphQLType | null | undefined): FieldNode => {
    const type = given && getNamedType(given);
    const keys = isInterfaceType(type)
      ? Object.values(type.getFields()).filter(({ name }) => interfaceObjectKeys.get(type.name)?.has(name))
      : [];
    return fieldCalled(keys.find((key) => isLeafType(getNamedType(key.type)))?.name ?? '__typename');
  };
  const info = new TypeInfo(schema);
  const evaluating = visitWithTypeInfo(info, {
    Field: evaluateConditions,
    InlineFragment: evaluateConditions,
    FragmentSpread: evaluateConditions,
    SelectionSet: {
      leave: (set: SelectionSetNode) =>
        set.selections.length === 0 ? { ...set, selections: [stableField(info.getParentType())] } : undefined,
    },
  });
  const evaluated: DocumentNode = visit(document, evaluating);
  const fragments = fragmentsOf(evaluated);
  const adding = visitWithTypeInfo(info, {
    Field: {
      leave(field: FieldNode) {
        if (!field.selectionSet || holdsField(field.selectionSet, fragments)) return undefined;
        const selections = [...field.selectionSet.selections, stableField(info.getType())];
        return { ...field, selectionSet: { ...field.selectionSet, selections } };
      },
    },
  });
  return visit(evaluated, adding);
}

const holdsField = ({ selections }: SelectionSetNode, fragments: Fragments): boolean =>
  selections.some((selection) => {
    if (isConditional(selection)) return false;
    if (selection.kind === Kind.FIELD) return true;
    return holdsField(fragmentOf(selection, fragments).selectionSet, fragments);
  });

import {
  astFromValue,
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  isInterfaceType,
  isLeafType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { type Fragments, fragmentOf, fragmentsOf, isCondition, isDefer } from '../selection.ts';

/** The key fields of interface objects, by interface name. */
export type InterfaceObjectKeys = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Rewrite a document so that Apollo's planner plans it correctly.
 * @param requiring names of the fields that have requirements
 */
export function prepareDocument(
  document: DocumentNode,
  api: GraphQLSchema,
  interfaceObjectKeys: InterfaceObjectKeys,
  requiring: ReadonlySet<string>,
): DocumentNode {
  const withConditions = repeatConditions(unconditional(withoutIntrospection(document), api, interfaceObjectKeys), requiring);
  return withDefaults(withTypes(withConditions, api), api);
}

const fieldCalled = (name: string): FieldNode => ({ kind: Kind.FIELD, name: { kind: Kind.NAME, value: name } });

/** Whether the first part of the answer may lack the selection. */
const isConditional = ({ directives }: SelectionNode): boolean =>
  directives?.some((each) => isCondition(each) || isDefer(each)) ?? false;

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

type Conditions = readonly DirectiveNode[];

/**
 * Repeat the conditions of enclosing selections on fields with these names, which have requirements. The planner fetches such
 * fields after their requirements and then applies only their own conditions. Only the nearest condition of each kind is
 * repeated.
 */
function repeatConditions(document: DocumentNode, names: ReadonlySet<string>): DocumentNode {
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

/**
 * Add a type condition to every inline fragment. The planner aliases fields that a subgraph could not merge (`id: ID` and
 * `id: ID!`), but it ignores fragments without a type condition.
 */
function withTypes(document: DocumentNode, schema: GraphQLSchema): DocumentNode {
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

const introspection = new Set(['__schema', '__type']);

/** Replace introspection fields by `__typename`. The planner would send them to subgraphs when they have a condition. */
const withoutIntrospection = (document: DocumentNode): DocumentNode =>
  visit(document, {
    Field: (field) =>
      introspection.has(field.name.value)
        ? { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' }, directives: field.directives }
        : undefined,
  });

/** Write default arguments of directives into the document, because a subgraph may define the directive without them. */
function withDefaults(document: DocumentNode, schema: GraphQLSchema): DocumentNode {
  return visit(document, {
    Directive(directive: DirectiveNode) {
      const given = new Set(directive.arguments?.map(({ name }) => name.value));
      const missing = schema
        .getDirective(directive.name.value)
        ?.args.filter(({ name, defaultValue }) => defaultValue !== undefined && !given.has(name));
      if (!missing?.length) return undefined;
      const defaults = missing.flatMap(({ name, type, defaultValue }) => {
        const value = astFromValue(defaultValue, type);
        return value ? [{ kind: Kind.ARGUMENT, name: { kind: Kind.NAME, value: name } as const, value } as const] : [];
      });
      return { ...directive, arguments: [...(directive.arguments ?? []), ...defaults] };
    },
  });
}

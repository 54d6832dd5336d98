import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  GraphQLError,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type InlineFragmentNode,
  isAbstractType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';

export const isDefer = ({ name }: DirectiveNode): boolean => name.value === 'defer';

export const isCondition = ({ name }: DirectiveNode): boolean => name.value === 'skip' || name.value === 'include';

/** Values of the variables that `@skip` and `@include` use. */
type Switches = Readonly<Record<string, unknown>>;

export const switchesOf = (document: DocumentNode): string[] => {
  const names = new Set<string>();
  visit(document, {
    Directive(directive) {
      const [condition] = directive.arguments ?? [];
      if (isCondition(directive) && condition?.value.kind === Kind.VARIABLE) names.add(condition.value.name.value);
    },
  });
  return [...names];
};

/** The context in which selections are collected, including the values of conditions. */
export interface CollectContext {
  readonly operation: OperationDefinitionNode;
  readonly schema: GraphQLSchema;
  readonly fragments: Fragments;
  readonly switches: Switches;
  /** Maps a key of the fetched data to its key in the response. */
  readonly responseKey: (key: string) => string;
  /** Response paths whose null values are omitted. */
  readonly omitNull?: KeyTree;
  /** The keys of an object without indexes, if its deferred fragments are parts of their own. */
  readonly place?: string;
  /** Fields that are null, also when their values were fetched. */
  readonly hidden?: ReadonlySet<FieldNode>;
}

/** A trie of response paths; leaves are empty trees. */
export interface KeyTree extends ReadonlyMap<string, KeyTree> {}

export function keyTree(paths: readonly string[]): KeyTree {
  const root = new Map<string, Map<string, never>>();
  for (const path of paths) {
    let tree = root as Map<string, unknown>;
    for (const key of path.split('.')) {
      if (!tree.has(key)) tree.set(key, new Map());
      tree = tree.get(key) as Map<string, unknown>;
    }
  }
  return root as KeyTree;
}

/** A fragment with `@defer`. */
export interface DeferredSelection {
  readonly label: string;
  readonly selectionSet: SelectionSetNode;
}

/**
 * Collect the fields of a type by response key, in the order of the specification. Fragments are expanded and conditions
 * evaluated.
 * @param deferred receives the deferred fragments; by default their fields are collected like all others
 */
export function fieldsFor(
  type: GraphQLCompositeType,
  selections: readonly SelectionSetNode[],
  collecting: CollectContext,
  deferred?: DeferredSelection[],
): Map<string, FieldNode[]> {
  const { schema, fragments, switches } = collecting;
  const fields = new Map<string, FieldNode[]>();
  const visited = new Set<string>();

  const collect = (selectionSet: SelectionSetNode) => {
    for (const selection of selectionSet.selections) {
      if (!isIncluded(selection.directives, switches)) continue;
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value;
        const nodes = fields.get(key);
        if (nodes) nodes.push(selection);
        else fields.set(key, [selection]);
        continue;
      }
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        if (visited.has(selection.name.value)) continue;
        visited.add(selection.name.value);
      }
      const { typeCondition, selectionSet: inner } = fragmentOf(selection, fragments);
      if (typeCondition && !meets(schema, type, schema.getType(typeCondition.name.value))) continue;
      const label = deferred && labelOf(selection);
      if (label === undefined) collect(inner);
      else deferred!.push({ label, selectionSet: inner });
    }
  };
  for (const selectionSet of selections) collect(selectionSet);
  return fields;
}

/** The label of a deferred fragment. The gateway gives each one. */
export function labelOf({ directives }: SelectionNode): string | undefined {
  const label = directives?.find(isDefer)?.arguments?.find(({ name }) => name.value === 'label')?.value;
  return label?.kind === Kind.STRING ? label.value : undefined;
}

/** Whether the conditions among the directives hold. */
export function isIncluded(directives: readonly DirectiveNode[] | undefined, switches: Switches): boolean {
  return (directives ?? []).filter(isCondition).every(({ name, arguments: [condition] = [] }) => {
    const { value } = condition!;
    const on = value.kind === Kind.VARIABLE ? switches[value.name.value] : value.kind === Kind.BOOLEAN && value.value;
    return on === (name.value === 'include');
  });
}

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

/** Whether an object with this `__typename` matches the type condition. With `@interfaceObject` the name may be an interface. */
export function isOfType(schema: GraphQLSchema, typename: unknown, condition: string): boolean {
  if (typename === condition) return true;
  return typeof typename === 'string' && meets(schema, schema.getType(typename), schema.getType(condition));
}

export function meets(schema: GraphQLSchema, type: GraphQLNamedType | undefined, condition: GraphQLNamedType | undefined): boolean {
  if (type === condition) return true;
  return isAbstractType(condition) && (isObjectType(type) || isInterfaceType(type)) && schema.isSubType(condition, type);
}

/** The root type of an operation. Throws when the schema lacks it, because standard validation accepts such an operation. */
export function rootTypeOf(schema: GraphQLSchema, { operation }: OperationDefinitionNode): GraphQLObjectType {
  const type = schema.getRootType(operation);
  if (type) return type;
  throw new GraphQLError(`The schema has no ${operation}s`, { extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } });
}

/** Count the field selections of a document; each fragment counts once. */
export function countFields(document: DocumentNode): number {
  let fields = 0;
  visit(document, { Field: () => void fields++ });
  return fields;
}

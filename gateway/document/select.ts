import type {
  DirectiveNode,
  DocumentNode,
  FieldNode,
  GraphQLCompositeType,
  GraphQLSchema,
  OperationDefinitionNode,
  SelectionSetNode,
} from 'graphql';
import { Kind, visit } from 'graphql';
import type { Fragments } from './shape.ts';
import { fragmentOf } from './shape.ts';
import { meets } from './types.ts';

export const isCondition = ({ name }: DirectiveNode): boolean => name.value === 'skip' || name.value === 'include';

/** Values of the variables that `@skip` and `@include` use. */
export type Switches = Readonly<Record<string, unknown>>;

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
export interface Selecting {
  readonly operation: OperationDefinitionNode;
  readonly schema: GraphQLSchema;
  readonly fragments: Fragments;
  readonly switches: Switches;
  /** Maps a key of the fetched data to its key in the response. */
  readonly responseKey: (key: string) => string;
  /** Response paths whose null values are omitted. */
  readonly omitNull?: KeyTree;
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

/**
 * Collect the fields of a type by response key, in the order of the specification. Fragments are expanded and conditions
 * evaluated.
 */
export function fieldsFor(
  type: GraphQLCompositeType,
  selections: readonly SelectionSetNode[],
  setting: Selecting,
): Map<string, FieldNode[]> {
  const { schema, fragments, switches } = setting;
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
      if (!typeCondition || meets(schema, type, schema.getType(typeCondition.name.value))) collect(inner);
    }
  };
  for (const selectionSet of selections) collect(selectionSet);
  return fields;
}

function isIncluded(directives: readonly DirectiveNode[] | undefined, switches: Switches): boolean {
  return (directives ?? []).filter(isCondition).every(({ name, arguments: [condition] = [] }) => {
    const { value } = condition!;
    const on = value.kind === Kind.VARIABLE ? switches[value.name.value] : value.kind === Kind.BOOLEAN && value.value;
    return on === (name.value === 'include');
  });
}

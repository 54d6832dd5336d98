import type { FetchNode, PlanNode, QueryPlanSelectionNode, SubscriptionNode } from '@apollo/query-planner';
import type { DocumentNode, FieldNode, SelectionNode, SelectionSetNode } from 'graphql';
import { Kind, parse, print, visit } from 'graphql';
import type { Plannable } from './plannable.ts';

/** For each path below an entity, the required field: the field itself or a separate field that stands for it. */
type Variants = Map<string, string>;

/** Rewrite a plan of the changed supergraph to a plan of the original subgraphs. */
export function rewritePlan<Node extends PlanNode | SubscriptionNode>(node: Node, plannable: Plannable): Node {
  if (plannable.requires.size === 0 && plannable.separateFields.size === 0) return node;
  const each = (inner: PlanNode): PlanNode => {
    switch (inner.kind) {
      case 'Fetch': {
        const [first, ...others] = splitFetch(inner, plannable).map((group) => rewriteFetch(group, plannable));
        return others.length === 0 ? first! : { kind: 'Parallel', nodes: [first!, ...others] };
      }
      case 'Flatten':
        return { ...inner, node: each(inner.node) };
      case 'Sequence':
      case 'Parallel':
        return { ...inner, nodes: inner.nodes.map(each) };
      case 'Defer':
        return {
          ...inner,
          primary: { ...inner.primary, node: inner.primary.node && each(inner.primary.node) },
          deferred: inner.deferred.map((part) => ({ ...part, node: part.node && each(part.node) })),
        };
      case 'Condition':
        return {
          ...inner,
          ifClause: inner.ifClause && each(inner.ifClause),
          elseClause: inner.elseClause && each(inner.elseClause),
        };
    }
  };
  if (node.kind !== 'Subscription') return each(node) as Node;
  return { ...node, primary: rewriteFetch(node.primary, plannable), rest: node.rest && each(node.rest) };
}

/** Replace separate fields by the original ones with their arguments, under unique aliases. */
function rewriteFetch(node: FetchNode, { separateFields }: Plannable): FetchNode {
  const requires = node.requires && rewriteRequires(node.requires, separateFields);
  if (!/__given_\d/.test(node.operation)) return { ...node, requires };
  const document = visit(parse(node.operation, { noLocation: true }), {
    Field(field) {
      const original = separateFields.get(field.name.value);
      if (!original) return undefined;
      const name = { kind: Kind.NAME, value: original.name } as const;
      return { ...field, alias: field.alias ?? field.name, name, arguments: original.arguments };
    },
  });
  return { ...node, operation: print(document), operationDocumentNode: undefined, requires } as FetchNode;
}

const rewriteRequires = (
  requires: readonly QueryPlanSelectionNode[],
  separateFields: Plannable['separateFields'],
): QueryPlanSelectionNode[] =>
  requires.map((each) => {
    if (each.kind === 'InlineFragment') return { ...each, selections: rewriteRequires(each.selections, separateFields) };
    const original = separateFields.get(each.name);
    return {
      ...each,
      ...(original && { name: original.name, alias: each.name }),
      ...(each.selections && { selections: rewriteRequires(each.selections, separateFields) }),
    };
  });

/** Fields that can share a fetch: they agree on requirements and on the conditions of these. */
interface FieldGroup {
  readonly conditions: string;
  readonly variants: Variants;
}

/**
 * Split an entity fetch when its requirements conflict within one representation, such as two `price` fields with different
 * arguments. A conditional requirement also gets its own fetch, because a false condition must not block the other fields.
 */
function splitFetch(node: FetchNode, plannable: Plannable): FetchNode[] {
  if (!node.requires) return [node];
  const document = parse(node.operation, { noLocation: true });
  const groups: FieldGroup[] = [];
  const groupOf = new Map<FieldNode, number>();
  eachField(document, (field, typeName, under) => {
    // Every group includes `__typename`; it needs no group of its own.
    if (field.name.value === '__typename') return;
    const required = plannable.requires.get(`${node.serviceName}.${typeName}.${field.name.value}`);
    const variants: Variants = required ? variantsOf(required, plannable.separateFields) : new Map();
    // Fields on an interface object may be selected and required for one of its types only.
    const alone = required && plannable.interfaces.has(typeName) ? print(required) : '';
    const conditions = required ? under + alone : '';
    const fits = (group: FieldGroup) =>
      group.conditions === conditions && [...variants].every(([path, name]) => (group.variants.get(path) ?? name) === name);
    let at = groups.findIndex(fits);
    if (at === -1) at = groups.push({ conditions, variants: new Map() }) - 1;
    for (const [path, name] of variants) groups[at]!.variants.set(path, name);
    groupOf.set(field, at);
  });
  if (groups.length < 2) return [node];

  const others = new Set(groups.flatMap(({ variants }) => [...variants.keys()]));
  return groups.map(({ variants }, group) => {
    const own = withoutFields(document, (field) => (groupOf.get(field) ?? group) !== group);
    const used = variablesIn(own);
    return {
      ...node,
      operation: print(pruneDefinitions(own, used)),
      variableUsages: node.variableUsages?.filter((name) => used.has(name)),
      requires: requirementsOf(node.requires!, variants, others, plannable),
    };
  });
}

/** Visit the fields that a document selects on entities, with their type and conditions. */
function eachField(document: DocumentNode, visitField: (field: FieldNode, typeName: string, under: string) => void): void {
  const walk = (selectionSet: SelectionSetNode, typeName: string, under: string) => {
    for (const selection of selectionSet.selections) {
      const conditions = under + (selection.directives ?? []).map(print).join('');
      if (selection.kind === Kind.FIELD) visitField(selection, typeName, conditions);
      else if (selection.kind === Kind.INLINE_FRAGMENT) {
        walk(selection.selectionSet, selection.typeCondition?.name.value ?? typeName, conditions);
      }
    }
  };
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    for (const entities of definition.selectionSet.selections) {
      if (entities.kind === Kind.FIELD && entities.selectionSet) walk(entities.selectionSet, '', '');
    }
  }
}

/** Remove fields and the inline fragments that become empty. */
const withoutFields = (document: DocumentNode, isRemoved: (field: FieldNode) => boolean): DocumentNode =>
  visit(document, {
    Field: (field) => (isRemoved(field) ? null : undefined),
    InlineFragment: {
      leave: ({ selectionSet }: { selectionSet: SelectionSetNode }) => (selectionSet.selections.length === 0 ? null : undefined),
    },
  });

function variablesIn(document: DocumentNode): Set<string> {
  const used = new Set<string>();
  visit(document, { VariableDefinition: () => false, Variable: ({ name }) => void used.add(name.value) });
  return used;
}

const pruneDefinitions = (document: DocumentNode, used: ReadonlySet<string>): DocumentNode =>
  visit(document, { VariableDefinition: ({ variable }) => (used.has(variable.name.value) ? false : null) });

function variantsOf(
  selectionSet: SelectionSetNode,
  separateFields: Plannable['separateFields'],
  path = '',
  found: Variants = new Map(),
): Variants {
  for (const selection of selectionSet.selections as readonly SelectionNode[]) {
    if (selection.kind === Kind.INLINE_FRAGMENT) variantsOf(selection.selectionSet, separateFields, path, found);
    if (selection.kind !== Kind.FIELD) continue;
    const name = selection.name.value;
    const at = `${path}.${separateFields.get(name)?.name ?? name}`;
    found.set(at, name);
    if (selection.selectionSet) variantsOf(selection.selectionSet, separateFields, at, found);
  }
  return found;
}

/** Select the requirements of one group. All groups share the keys. */
function requirementsOf(
  requires: readonly QueryPlanSelectionNode[],
  variants: Variants,
  others: ReadonlySet<string>,
  plannable: Plannable,
  path = '',
): QueryPlanSelectionNode[] {
  return requires.flatMap((each): QueryPlanSelectionNode[] => {
    if (each.kind === 'InlineFragment') {
      const selections = requirementsOf(each.selections, variants, others, plannable, path);
      return selections.length > 0 ? [{ ...each, selections }] : [];
    }
    const original = plannable.separateFields.get(each.name)?.name;
    const at = `${path}.${original ?? each.name}`;
    const common = !original && (!others.has(at) || plannable.keys.has(each.name));
    if ((variants.get(at) ?? (common ? each.name : undefined)) !== each.name) return [];
    if (!each.selections) return [each];
    const selections = requirementsOf(each.selections, variants, others, plannable, at);
    return selections.length > 0 ? [{ ...each, selections }] : [];
  });
}

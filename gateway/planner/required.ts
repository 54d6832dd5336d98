import type { FetchNode, PlanNode, QueryPlanSelectionNode, SubscriptionNode } from '@apollo/query-planner';
import type { DocumentNode, FieldNode, SelectionNode, SelectionSetNode } from 'graphql';
import { Kind, parse, print, visit } from 'graphql';
import type { Plannable } from './plannable.ts';

/** For each path below an entity, which field stands there: the field itself, or one of its variants with arguments. */
type Variants = Map<string, string>;

/** A plan over the plannable supergraph as one over the subgraphs as they are. */
export function written<Node extends PlanNode | SubscriptionNode>(node: Node, plannable: Plannable): Node {
  if (plannable.requires.size === 0 && plannable.given.size === 0) return node;
  const each = (inner: PlanNode): PlanNode => {
    switch (inner.kind) {
      case 'Fetch': {
        const [first, ...others] = apart(inner, plannable).map((part) => writtenFetch(part, plannable));
        return others.length === 0 ? first! : { kind: 'Parallel', nodes: [first!, ...others] };
      }
      case 'Flatten':
        return { ...inner, node: each(inner.node) };
      case 'Sequence':
      case 'Parallel':
        return { ...inner, nodes: inner.nodes.map(each) };
      case 'Condition':
        return {
          ...inner,
          ifClause: inner.ifClause && each(inner.ifClause),
          elseClause: inner.elseClause && each(inner.elseClause),
        };
      default:
        return inner;
    }
  };
  if (node.kind !== 'Subscription') return each(node) as Node;
  return { ...node, primary: writtenFetch(node.primary, plannable), rest: node.rest && each(node.rest) };
}

/** Fields of the plan's own making get their arguments, under a key that no other field has. */
function writtenFetch(node: FetchNode, { given }: Plannable): FetchNode {
  const requires = node.requires && requiresWritten(node.requires, given);
  if (!/__given_\d/.test(node.operation)) return { ...node, requires };
  const document = visit(parse(node.operation, { noLocation: true }), {
    Field(field) {
      const real = given.get(field.name.value);
      if (!real) return undefined;
      const name = { kind: Kind.NAME, value: real.name } as const;
      return { ...field, alias: field.alias ?? field.name, name, arguments: real.arguments };
    },
  });
  return { ...node, operation: print(document), operationDocumentNode: undefined, requires } as FetchNode;
}

const requiresWritten = (requires: readonly QueryPlanSelectionNode[], given: Plannable['given']): QueryPlanSelectionNode[] =>
  requires.map((each) => {
    if (each.kind === 'InlineFragment') return { ...each, selections: requiresWritten(each.selections, given) };
    const real = given.get(each.name);
    return {
      ...each,
      ...(real && { name: real.name, alias: each.name }),
      ...(each.selections && { selections: requiresWritten(each.selections, given) }),
    };
  });

/** What is asked for together: what it requires, and the conditions under which it does. */
interface Part {
  readonly conditions: string;
  readonly variants: Variants;
}

/**
 * A fetch of entities in as many parts as its requirements do not fit one representation: there is one `price` only, and one
 * that is required under a condition must not keep the rest from being asked for when the condition is off.
 */
function apart(node: FetchNode, plannable: Plannable): FetchNode[] {
  if (!node.requires) return [node];
  const document = parse(node.operation, { noLocation: true });
  const parts: Part[] = [];
  const partOf = new Map<FieldNode, number>();
  eachField(document, (field, typeName, under) => {
    // Every part may have it, and none is made for it.
    if (field.name.value === '__typename') return;
    const required = plannable.requires.get(`${node.serviceName}.${typeName}.${field.name.value}`);
    const variants: Variants = required ? variantsOf(required, plannable.given) : new Map();
    // An interface object has fields of types that may be selected, and required, of one of them only.
    const alone = required && plannable.interfaces.has(typeName) ? print(required) : '';
    const conditions = required ? under + alone : '';
    const fits = (part: Part) =>
      part.conditions === conditions && [...variants].every(([path, name]) => (part.variants.get(path) ?? name) === name);
    let at = parts.findIndex(fits);
    if (at === -1) at = parts.push({ conditions, variants: new Map() }) - 1;
    for (const [path, name] of variants) parts[at]!.variants.set(path, name);
    partOf.set(field, at);
  });
  if (parts.length < 2) return [node];

  const others = new Set(parts.flatMap(({ variants }) => [...variants.keys()]));
  return parts.map(({ variants }, part) => {
    const own = without(document, (field) => (partOf.get(field) ?? part) !== part);
    const used = variablesIn(own);
    return {
      ...node,
      operation: print(declaring(own, used)),
      variableUsages: node.variableUsages?.filter((name) => used.has(name)),
      requires: only(node.requires!, variants, others, plannable),
    };
  });
}

/** The fields selected on the entities of a document, with the type and the conditions they are selected under. */
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

/** The document without some fields, and without the fragments that held nothing else. */
const without = (document: DocumentNode, left: (field: FieldNode) => boolean): DocumentNode =>
  visit(document, {
    Field: (field) => (left(field) ? null : undefined),
    InlineFragment: {
      leave: ({ selectionSet }: { selectionSet: SelectionSetNode }) => (selectionSet.selections.length === 0 ? null : undefined),
    },
  });

function variablesIn(document: DocumentNode): Set<string> {
  const used = new Set<string>();
  visit(document, { VariableDefinition: () => false, Variable: ({ name }) => void used.add(name.value) });
  return used;
}

const declaring = (document: DocumentNode, used: ReadonlySet<string>): DocumentNode =>
  visit(document, { VariableDefinition: ({ variable }) => (used.has(variable.name.value) ? false : null) });

function variantsOf(selectionSet: SelectionSetNode, given: Plannable['given'], path = '', found: Variants = new Map()): Variants {
  for (const selection of selectionSet.selections as readonly SelectionNode[]) {
    if (selection.kind === Kind.INLINE_FRAGMENT) variantsOf(selection.selectionSet, given, path, found);
    if (selection.kind !== Kind.FIELD) continue;
    const name = selection.name.value;
    const at = `${path}.${given.get(name)?.name ?? name}`;
    found.set(at, name);
    if (selection.selectionSet) variantsOf(selection.selectionSet, given, at, found);
  }
  return found;
}

/** Of the requirements of all parts, those of one. Keys are everyone's. */
function only(
  requires: readonly QueryPlanSelectionNode[],
  variants: Variants,
  others: ReadonlySet<string>,
  plannable: Plannable,
  path = '',
): QueryPlanSelectionNode[] {
  return requires.flatMap((each): QueryPlanSelectionNode[] => {
    if (each.kind === 'InlineFragment') {
      const selections = only(each.selections, variants, others, plannable, path);
      return selections.length > 0 ? [{ ...each, selections }] : [];
    }
    const real = plannable.given.get(each.name)?.name;
    const at = `${path}.${real ?? each.name}`;
    const common = !real && (!others.has(at) || plannable.keys.has(each.name));
    if ((variants.get(at) ?? (common ? each.name : undefined)) !== each.name) return [];
    if (!each.selections) return [each];
    const selections = only(each.selections, variants, others, plannable, at);
    return selections.length > 0 ? [{ ...each, selections }] : [];
  });
}

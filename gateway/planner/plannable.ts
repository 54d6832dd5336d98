import {
  type ConstDirectiveNode,
  type ConstValueNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type FieldNode,
  Kind,
  parse,
  print,
  type SelectionSetNode,
  type TypeNode,
  visit,
} from 'graphql';
import { subgraphsOf } from '../supergraph/contents.ts';
import type { InterfaceObjectKeys } from './prepare-document.ts';

type Described = Extract<DocumentNode['definitions'][number], { fields?: readonly FieldDefinitionNode[] }>;

/** A required field that the planner sees as a separate field. */
interface SeparateField {
  readonly name: string;
  /** The arguments in the `@requires`. */
  readonly arguments: FieldNode['arguments'];
}

/** The supergraph that the planner gets, and how it differs from the composed one. */
export interface Plannable {
  readonly sdl: string;
  /** By `subgraph.Type`, the resolvable keys, each as a list of field names. */
  readonly keysOf: ReadonlyMap<string, readonly (readonly string[])[]>;
  readonly interfaces: ReadonlySet<string>;
  /** The key fields of interface objects, by interface name. */
  readonly interfaceObjectKeys: InterfaceObjectKeys;
  /** Names of all key fields. */
  readonly keys: ReadonlySet<string>;
  /** Names of all key fields and required fields, and `__typename`. */
  readonly reserved: ReadonlySet<string>;
  /** By the name of the separate field. */
  readonly separateFields: ReadonlyMap<string, SeparateField>;
  /** The requirements of fields, by `subgraph.Type.field`. */
  readonly requires: ReadonlyMap<string, SelectionSetNode>;
}

/**
 * Change a supergraph to avoid three defects of Apollo's planner:
 * - It enters a subgraph by the first key of a type, even if that key is not resolvable. Remove such keys where others exist.
 * - It ignores the arguments of required fields, as in `@requires(fields: "price(currency: \"USD\")")`.
 * - It fetches a requirement below a field of the subgraph (`author { name }`) from that subgraph, even if it is external.
 *
 * In the last two cases the required field becomes a separate field, which `requirements.ts` replaces in the plan.
 */
export function makePlannable(supergraph: string): Plannable {
  const document = parse(supergraph, { noLocation: true });
  const types = new Map(document.definitions.flatMap((each) => (isDescribed(each) ? [[each.name.value, each] as const] : [])));
  const subgraphs = new Map(subgraphsOf(supergraph).map(({ key, name }) => [key, name]));
  const separateFields = new Map<string, SeparateField>();
  const requires = new Map<string, SelectionSetNode>();
  const names = new Map<string, string>();
  const requirers = new Map<string, Set<string>>();
  const added = new Map<string, Map<string, FieldDefinitionNode>>();

  /** Replace fields of a requirement by separate fields, and add those to every type that has the original field. */
  const withSeparateFields = (graph: string, typeName: string, { kind, selections }: SelectionSetNode): SelectionSetNode => ({
    kind,
    selections: selections.map((selection) => {
      if (selection.kind === Kind.FRAGMENT_SPREAD) return selection;
      if (selection.kind === Kind.INLINE_FRAGMENT) {
        const inner = selection.typeCondition?.name.value ?? typeName;
        return { ...selection, selectionSet: withSeparateFields(graph, inner, selection.selectionSet) };
      }
      const field = types.get(typeName)?.fields?.find(({ name }) => name.value === selection.name.value);
      if (!field) return selection;
      const { selectionSet } = selection;
      const inner = selectionSet && withSeparateFields(graph, nameOf(field.type), selectionSet);
      if (!selection.arguments?.length && !isExternalOnlyElsewhere(field, graph)) return { ...selection, selectionSet: inner };
      const name = nameFor(typeName, selection, graph);
      return { ...selection, name: { kind: Kind.NAME, value: name }, arguments: [], selectionSet: inner };
    }),
  });

  const nameFor = (typeName: string, selection: FieldNode, graph: string): string => {
    const written = print({ ...selection, selectionSet: undefined });
    const key = selection.arguments?.length ? written : `${written} required in ${graph}`;
    const name = names.get(key) ?? `${selection.name.value}__given_${names.size}`;
    names.set(key, name);
    separateFields.set(name, { name: selection.name.value, arguments: selection.arguments });
    requirers.set(name, (requirers.get(name) ?? new Set()).add(graph));
    for (const type of [typeName, ...implementersOf(typeName)]) {
      const field = types.get(type)?.fields?.find((each) => each.name.value === selection.name.value);
      if (field) add(type, { ...field, name: { kind: Kind.NAME, value: name }, arguments: [] });
    }
    return name;
  };

  const add = (type: string, field: FieldDefinitionNode) => {
    added.set(type, (added.get(type) ?? new Map()).set(field.name.value, field));
  };

  const implementersOf = (name: string) =>
    [...types.values()]
      .filter(({ interfaces }) => interfaces?.some((each) => each.name.value === name))
      .map((each) => each.name.value);

  const planned = (directive: ConstDirectiveNode, typeName: string, field: string): ConstDirectiveNode => {
    const required = directive.name.value === 'join__field' ? argumentOf(directive, 'requires') : undefined;
    if (required?.kind !== Kind.STRING) return directive;
    const selectionSet = withSeparateFields(graphOf(directive), typeName, fieldSet(required.value));
    requires.set(`${subgraphs.get(graphOf(directive))}.${typeName}.${field}`, selectionSet);
    const value = { kind: Kind.STRING, value: print(selectionSet).slice(1, -1) } as const;
    return {
      ...directive,
      arguments: directive.arguments!.map((each) => (each.name.value === 'requires' ? { ...each, value } : each)),
    };
  };
  const plannedField = (field: FieldDefinitionNode, type: string): FieldDefinitionNode => ({
    ...field,
    directives: field.directives?.map((each) => planned(each, type, field.name.value)),
  });

  const resolving = new Map([...types].map(([name, type]) => [name, resolvingOnly(type.directives ?? [])]));
  const described = new Map(
    [...types].map(([name, type]) => [name, { ...type, fields: type.fields?.map((field) => plannedField(field, name)) }]),
  );
  // Added fields may have requirements too.
  const extended = new Map(
    [...added].map(([name, fields]) => [name, [...fields.values()].map((field) => plannedField(field, name))]),
  );
  const definitions = document.definitions.map((each) =>
    isDescribed(each)
      ? {
          ...each,
          directives: resolving.get(each.name.value),
          fields: [
            ...(described.get(each.name.value)?.fields ?? []),
            ...(extended.get(each.name.value) ?? []).map((field) =>
              withoutUnrelatedSubgraphs(field, requirers.get(field.name.value)!),
            ),
          ],
        }
      : each,
  );
  return {
    sdl: print({ ...document, definitions } as DocumentNode),
    keys: namesIn(document, /^key$/),
    interfaces: new Set(
      [...types.values()].flatMap(({ kind, name }) => (kind === Kind.INTERFACE_TYPE_DEFINITION ? [name.value] : [])),
    ),
    interfaceObjectKeys: interfaceObjectKeysOf(types.values()),
    keysOf: keysOf(types.values(), subgraphs),
    reserved: namesIn(document, /^(key|requires)$/),
    separateFields,
    requires,
  };
}

function interfaceObjectKeysOf(types: Iterable<Described>): InterfaceObjectKeys {
  const found = new Map<string, Set<string>>();
  for (const { name, directives = [] } of types) {
    for (const directive of directives) {
      const key = argumentOf(directive, 'isInterfaceObject') && argumentOf(directive, 'key');
      if (key?.kind !== Kind.STRING) continue;
      const fields = found.get(name.value) ?? new Set();
      for (const each of fieldSet(key.value).selections) if (each.kind === Kind.FIELD) fields.add(each.name.value);
      found.set(name.value, fields);
    }
  }
  return found;
}

function keysOf(types: Iterable<Described>, subgraphs: ReadonlyMap<string, string>): Map<string, string[][]> {
  const found = new Map<string, string[][]>();
  for (const { name, directives = [] } of types) {
    for (const directive of resolvingOnly(directives)) {
      const key = directive.name.value === 'join__type' ? argumentOf(directive, 'key') : undefined;
      if (key?.kind !== Kind.STRING) continue;
      const at = `${subgraphs.get(graphOf(directive))}.${name.value}`;
      const names = fieldSet(key.value).selections.flatMap((each) => (each.kind === Kind.FIELD ? [each.name.value] : []));
      found.set(at, [...(found.get(at) ?? []), names]);
    }
  }
  return found;
}

/** The field names in the field sets of a supergraph's directives. */
function namesIn(document: DocumentNode, argument: RegExp): Set<string> {
  const words = new Set(['__typename']);
  visit(document, {
    Argument({ name, value }) {
      if (!argument.test(name.value) || value.kind !== Kind.STRING) return;
      for (const word of value.value.match(/[_A-Za-z]\w*/g) ?? []) words.add(word);
    },
  });
  return words;
}

const isExternal = (directive: ConstDirectiveNode): boolean =>
  directive.name.value === 'join__field' && (isTrue(directive, 'external') || isTrue(directive, 'usedOverridden'));

const isExternalOnlyElsewhere = ({ directives = [] }: FieldDefinitionNode, graph: string): boolean =>
  directives.some(isExternal) && !directives.some((each) => isExternal(each) && graphOf(each) === graph);

/** Remove the subgraphs that neither resolve nor require a separate field. */
const withoutUnrelatedSubgraphs = (field: FieldDefinitionNode, requirers: ReadonlySet<string>): FieldDefinitionNode => ({
  ...field,
  directives: field.directives?.filter((each) => !isExternal(each) || requirers.has(graphOf(each))),
});

/** Remove the unresolvable keys of a subgraph if it has resolvable ones. */
function resolvingOnly(directives: readonly ConstDirectiveNode[]): ConstDirectiveNode[] {
  const isKey = (each: ConstDirectiveNode) => each.name.value === 'join__type' && argumentOf(each, 'key') !== undefined;
  const resolves = (each: ConstDirectiveNode) => {
    const value = argumentOf(each, 'resolvable');
    return value?.kind !== Kind.BOOLEAN || value.value;
  };
  const resolvable = new Set(directives.filter((each) => isKey(each) && resolves(each)).map(graphOf));
  return directives.filter((each) => !isKey(each) || resolves(each) || !resolvable.has(graphOf(each)));
}

const fieldSet = (text: string): SelectionSetNode => {
  const [definition] = parse(`{ ${text} }`, { noLocation: true }).definitions;
  if (definition?.kind !== Kind.OPERATION_DEFINITION) throw new Error(`No selection: ${text}`);
  return definition.selectionSet;
};

const isDescribed = (each: DocumentNode['definitions'][number]): each is Described =>
  each.kind === Kind.OBJECT_TYPE_DEFINITION || each.kind === Kind.INTERFACE_TYPE_DEFINITION;

/** The value of a directive argument in a supergraph. */
const argumentOf = (directive: ConstDirectiveNode, name: string): ConstValueNode | undefined =>
  directive.arguments?.find((each) => each.name.value === name)?.value;

/** The `graph` argument of a directive, a value of `join__Graph`; empty when it is absent. */
const graphOf = (directive: ConstDirectiveNode): string => {
  const graph = argumentOf(directive, 'graph');
  return graph?.kind === Kind.ENUM ? graph.value : '';
};

const isTrue = (directive: ConstDirectiveNode, name: string): boolean => {
  const value = argumentOf(directive, name);
  return value?.kind === Kind.BOOLEAN && value.value;
};

/** The name of a type without lists and non-nulls. */
const nameOf = (type: TypeNode): string => (type.kind === Kind.NAMED_TYPE ? type.name.value : nameOf(type.type));

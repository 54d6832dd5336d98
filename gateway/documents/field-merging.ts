import type {
  ArgumentNode,
  DocumentNode,
  FieldNode,
  FragmentDefinitionNode,
  GraphQLCompositeType,
  GraphQLNamedType,
  GraphQLOutputType,
  GraphQLSchema,
  SelectionSetNode,
} from 'graphql';
import {
  GraphQLError,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  print,
  visit,
} from 'graphql';

/** One occurrence of a response key, with the type it is selected on. */
interface Occurrence {
  readonly node: FieldNode;
  readonly parent: GraphQLCompositeType;
  /** Undefined for a meta field. */
  readonly type: GraphQLOutputType | undefined;
}

interface Selected {
  readonly set: SelectionSetNode;
  readonly parent: GraphQLCompositeType;
}

interface Conflict {
  readonly keys: string[];
  readonly reason: string;
  readonly nodes: readonly [FieldNode, FieldNode];
}

/** Maximum steps per document. Typical documents take a few steps per field. */
const maxSteps = 20_000;

/**
 * Validate field selection merging, for a document that obeys all other rules. graphql-js compares every pair of fields, which
 * takes a second for 10 kB of text. This function compares each field with the first of its response key, in linear time. Returns
 * the first conflict. Throws when nested selections exceed the step limit.
 */
export function mergeConflict(schema: GraphQLSchema, document: DocumentNode): GraphQLError | undefined {
  const merging = new Merging(schema, document);
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const root = [{ set: definition.selectionSet, parent: schema.getRootType(definition.operation)! }];
    const conflict = merging.fieldConflict(root) ?? merging.shapeConflict(root);
    if (conflict) return errorOf(conflict);
  }
  return undefined;
}

class Merging {
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  /** Printed arguments, cached because a node may be compared many times. */
  readonly #arguments = new Map<FieldNode, string>();
  #steps = 0;

  constructor(
    private readonly schema: GraphQLSchema,
    document: DocumentNode,
  ) {
    for (const each of document.definitions) {
      if (each.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(each.name.value, each);
    }
  }

  /** Values of one key must have the same shape, regardless of the parent types. */
  shapeConflict(selected: readonly Selected[]): Conflict | undefined {
    for (const [key, occurrences] of this.#collect(selected)) {
      const [first, ...others] = occurrences as [Occurrence, ...Occurrence[]];
      for (const other of others) {
        if (first.type && other.type && !isSameShape(first.type, other.type)) {
          const reason = `they return conflicting types "${first.type}" and "${other.type}"`;
          return { keys: [key], reason, nodes: [first.node, other.node] };
        }
      }
      const conflict = atKey(key, occurrences, this.shapeConflict(selectedBelow(occurrences)));
      if (conflict) return conflict;
    }
    return undefined;
  }

  /** Fields of one key that can apply to the same object must be the same field with the same arguments. */
  fieldConflict(selected: readonly Selected[]): Conflict | undefined {
    for (const [key, occurrences] of this.#collect(selected)) {
      for (const group of groupsOf(occurrences)) {
        const conflict = this.#groupConflict(key, group) ?? atKey(key, group, this.fieldConflict(selectedBelow(group)));
        if (conflict) return conflict;
      }
    }
    return undefined;
  }

  #groupConflict(key: string, [first, ...others]: readonly Occurrence[]): Conflict | undefined {
    for (const { node } of others) {
      const nodes = [first!.node, node] as const;
      const [name, other] = [first!.node.name.value, node.name.value];
      if (name !== other) return { keys: [key], reason: `"${name}" and "${other}" are different fields`, nodes };
      if (this.#argumentsOf(first!.node) !== this.#argumentsOf(node)) {
        return { keys: [key], reason: 'they have differing arguments', nodes };
      }
    }
    return undefined;
  }

  #argumentsOf(node: FieldNode): string {
    const known = this.#arguments.get(node);
    if (known !== undefined) return known;
    const text = (node.arguments ?? [])
      .map((argument) => print(withSortedFields(argument)))
      .sort()
      .join();
    this.#arguments.set(node, text);
    return text;
  }

  /** Collect fields by response key, with fragments expanded. */
  #collect(selected: readonly Selected[]): Map<string, Occurrence[]> {
    const byKey = new Map<string, Occurrence[]>();
    const seen = new Set<SelectionSetNode>();
    const visitSet = (set: SelectionSetNode, parent: GraphQLCompositeType): void => {
      if (seen.has(set)) return;
      seen.add(set);
      for (const node of set.selections) {
        if (++this.#steps > maxSteps) throw new GraphQLError('The operation selects the same fields in too many places');
        if (node.kind !== Kind.FIELD) {
          const part = node.kind === Kind.INLINE_FRAGMENT ? node : this.#fragments.get(node.name.value)!;
          const type = part.typeCondition && this.schema.getType(part.typeCondition.name.value);
          visitSet(part.selectionSet, isCompositeType(type) ? type : parent);
          continue;
        }
        const key = (node.alias ?? node.name).value;
        const occurrence = { node, parent, type: fieldsOf(parent)?.[node.name.value]?.type };
        const known = byKey.get(key);
        if (known) known.push(occurrence);
        else byKey.set(key, [occurrence]);
      }
    };
    for (const { set, parent } of selected) visitSet(set, parent);
    return byKey;
  }
}

const fieldsOf = (type: GraphQLNamedType) => (isObjectType(type) || isInterfaceType(type) ? type.getFields() : undefined);

/** Fields of different object types never conflict; fields of an abstract type can conflict with any other. */
function groupsOf(occurrences: readonly Occurrence[]): readonly (readonly Occurrence[])[] {
  if (occurrences.length === 1) return [occurrences];
  const byType = Map.groupBy(occurrences, ({ parent }) => (isObjectType(parent) ? parent : undefined));
  const abstract = byType.get(undefined) ?? [];
  byType.delete(undefined);
  return byType.size === 0 ? [abstract] : [...byType.values()].map((group) => [...abstract, ...group]);
}

const selectedBelow = (occurrences: readonly Occurrence[]): Selected[] =>
  occurrences.flatMap(({ node: { selectionSet }, type }) => {
    const parent = type && getNamedType(type);
    return selectionSet && isCompositeType(parent) ? [{ set: selectionSet, parent }] : [];
  });

/** Prefix the key to a conflict below it, starting where two occurrences merge. */
const atKey = (key: string, { length }: readonly Occurrence[], conflict: Conflict | undefined): Conflict | undefined =>
  conflict && length > 1 ? { ...conflict, keys: [key, ...conflict.keys] } : conflict;

function isSameShape(a: GraphQLOutputType, b: GraphQLOutputType): boolean {
  if (isNonNullType(a) || isNonNullType(b)) return isNonNullType(a) && isNonNullType(b) && isSameShape(a.ofType, b.ofType);
  if (isListType(a) || isListType(b)) return isListType(a) && isListType(b) && isSameShape(a.ofType, b.ofType);
  return isLeafType(a) || isLeafType(b) ? a === b : true;
}

/** The order of input object fields is not significant. */
const withSortedFields = (argument: ArgumentNode): ArgumentNode =>
  visit(argument, {
    ObjectValue: {
      leave: (node) => ({ ...node, fields: node.fields.toSorted((a, b) => (a.name.value < b.name.value ? -1 : 1)) }),
    },
  });

/** Uses the message of graphql-js. */
function errorOf({ keys, reason, nodes }: Conflict): GraphQLError {
  const [first, ...rest] = keys;
  const path = rest.map((key) => `subfields "${key}" conflict because `).join('');
  const advice = 'Use different aliases on the fields to fetch both if this was intentional.';
  return new GraphQLError(`Fields "${first}" conflict because ${path}${reason}. ${advice}`, { nodes });
}

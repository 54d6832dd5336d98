import type {
  DocumentNode,
  FieldNode,
  GraphQLField,
  GraphQLNamedType,
  GraphQLSchema,
  OperationDefinitionNode,
  SelectionSetNode,
  ValueNode,
} from 'graphql';
import { getNamedType, getNullableType, isCompositeType, isInterfaceType, isListType, isObjectType, Kind } from 'graphql';

type Variables = Readonly<Record<string, unknown>>;

/** What an operation costs with these variables: each field is 1, and what lies below a list counts for each of its items. */
export type Cost = (variables: Variables) => number;

/** A number where variables have no say, so that most operations are weighed once. */
type Weight = number | Cost;

/** Arguments that say how long a list may be: of the field itself, or of the lists right below it (`products(limit: 5) { nodes }`). */
const sizing = ['first', 'last', 'limit', 'perPage', 'pageSize'];

/** Weigh a valid operation within the limits. @param listSize of a list that nothing says the length of */
export function costOf(
  document: DocumentNode,
  { operation, selectionSet, variableDefinitions = [] }: OperationDefinitionNode,
  schema: GraphQLSchema,
  listSize: number,
): Cost {
  const fragments = new Map(document.definitions.flatMap((each) => ('name' in each ? [[each.name?.value, each] as const] : [])));
  const defaults = new Map(variableDefinitions.map(({ variable, defaultValue }) => [variable.name.value, literal(defaultValue)]));
  const count = (value: unknown): number =>
    typeof value === 'number' && value >= 0 ? Math.min(Math.trunc(value), Number.MAX_SAFE_INTEGER) : listSize;

  const sizeOf = ({ args }: GraphQLField<unknown, unknown>, { arguments: given = [] }: FieldNode): Weight | undefined => {
    const argument = args.find(({ name }) => sizing.includes(name));
    if (!argument) return undefined;
    const value = given.find(({ name }) => name.value === argument.name)?.value;
    if (value?.kind !== Kind.VARIABLE) return count(value ? literal(value) : argument.defaultValue);
    const { value: name } = value.name;
    const fallback = defaults.get(name) ?? argument.defaultValue;
    return (variables) => count(variables[name] === undefined ? fallback : variables[name]);
  };

  const weighField = (node: FieldNode, parent: GraphQLNamedType, outer: Weight | undefined): Weight => {
    const field = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[node.name.value] : undefined;
    if (!field || !node.selectionSet) return 1;
    const size = sizeOf(field, node);
    const type = getNamedType(field.type);
    if (!isListType(getNullableType(field.type))) return sum([1, weigh(node.selectionSet, type, size)]);
    return sum([1, times(size ?? outer ?? listSize, weigh(node.selectionSet, type))]);
  };

  /** @param outer length of the lists in this very selection */
  const weigh = ({ selections }: SelectionSetNode, parent: GraphQLNamedType, outer?: Weight): Weight =>
    sum(
      selections.map((each) => {
        if (each.kind === Kind.FIELD) return weighField(each, parent, outer);
        const part = each.kind === Kind.INLINE_FRAGMENT ? each : fragments.get(each.name.value);
        if (part?.kind !== Kind.INLINE_FRAGMENT && part?.kind !== Kind.FRAGMENT_DEFINITION) return 0;
        const type = part.typeCondition && schema.getType(part.typeCondition.name.value);
        return weigh(part.selectionSet, isCompositeType(type) ? type : parent, outer);
      }),
    );

  const weight = weigh(selectionSet, schema.getRootType(operation)!);
  return typeof weight === 'number' ? () => weight : weight;
}

const literal = (value: ValueNode | undefined): unknown => (value?.kind === Kind.INT ? Number(value.value) : undefined);

function sum(weights: readonly Weight[]): Weight {
  let known = 0;
  const varying: Cost[] = [];
  for (const each of weights) {
    if (typeof each === 'number') known += each;
    else varying.push(each);
  }
  return varying.length === 0 ? known : (variables) => varying.reduce((total, cost) => total + cost(variables), known);
}

function times(size: Weight, weight: Weight): Weight {
  if (typeof size === 'number' && typeof weight === 'number') return size * weight;
  return (variables) => at(size, variables) * at(weight, variables);
}

const at = (weight: Weight, variables: Variables): number => (typeof weight === 'number' ? weight : weight(variables));

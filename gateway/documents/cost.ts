import type {
  DocumentNode,
  FieldNode,
  GraphQLArgument,
  GraphQLField,
  GraphQLNamedType,
  OperationDefinitionNode,
  SelectionSetNode,
  ValueNode,
} from 'graphql';
import { getNamedType, getNullableType, isCompositeType, isInterfaceType, isListType, isObjectType, Kind } from 'graphql';
import type { Gateway } from '../compiled-gateway.ts';
import { rootTypeOf } from '../selection.ts';

type Variables = Readonly<Record<string, unknown>>;

/** Computes the cost of an operation: 1 per field, multiplied by the lengths of the lists that contain it. */
export type Cost = (variables: Variables) => number;

/** A number when it does not depend on variables, so that most costs are computed once. */
type Weight = number | Cost;

/**
 * Default slicing arguments, used where `@listSize` names none. They apply to the field itself or to the lists directly below it.
 */
const sizing = ['first', 'last', 'limit', 'perPage', 'pageSize'];

/** The parts of the gateway that costs depend on. */
type Api = Pick<Gateway, 'schema' | 'listSizes'>;

/** Size of the lists directly below a field. It applies to the named fields, or to all lists without names. */
interface Inner {
  readonly size: Weight;
  readonly fields?: readonly string[];
}

/**
 * Compile the cost of a valid operation. The size of a list comes from its slicing arguments, else from `@listSize`, else it is
 * `fallbackSize`. Throws when the schema lacks the root type.
 */
export function costOf(
  document: DocumentNode,
  definition: OperationDefinitionNode,
  { schema, listSizes }: Api,
  fallbackSize: number,
): Cost {
  const fragments = new Map(document.definitions.flatMap((each) => ('name' in each ? [[each.name?.value, each] as const] : [])));
  const { variableDefinitions = [] } = definition;
  const defaults = new Map(variableDefinitions.map(({ variable, defaultValue }) => [variable.name.value, literal(defaultValue)]));
  const readerOf = ({ name, defaultValue }: GraphQLArgument, { arguments: given = [] }: FieldNode) => {
    const value = given.find((each) => each.name.value === name)?.value;
    if (value?.kind !== Kind.VARIABLE) return () => (value ? literal(value) : defaultValue);
    const variable = value.name.value;
    const fallback = defaults.get(variable) ?? defaultValue;
    return (variables: Variables) => (variables[variable] === undefined ? fallback : variables[variable]);
  };

  /** The largest of the sizes that arguments give, because a subgraph may obey any of them. */
  const argumentSize = (
    { args }: GraphQLField<unknown, unknown>,
    node: FieldNode,
    names: readonly string[],
    assumed: number,
  ): Weight | undefined => {
    const values = args.filter(({ name }) => names.includes(name)).map((argument) => readerOf(argument, node));
    if (values.length === 0) return undefined;
    const size = (variables: Variables) => {
      const sizes = values.map((read) => read(variables)).filter((each): each is number => typeof each === 'number' && each >= 0);
      return sizes.length === 0 ? assumed : Math.min(Math.trunc(Math.max(...sizes)), Number.MAX_SAFE_INTEGER);
    };
    return node.arguments?.some(({ value }) => value.kind === Kind.VARIABLE) ? size : size({});
  };

  const weighField = (node: FieldNode, parent: GraphQLNamedType, outer: Inner | undefined): Weight => {
    const field = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[node.name.value] : undefined;
    if (!field || !node.selectionSet) return 1;
    const declared = listSizes.get(`${parent.name}.${field.name}`);
    const { assumed, sized = [] } = declared ?? {};
    const names = declared?.slicing.length ? declared.slicing : sizing;
    const size = argumentSize(field, node, names, assumed ?? fallbackSize) ?? assumed;
    const type = getNamedType(field.type);
    const isList = isListType(getNullableType(field.type));
    const inner =
      size === undefined || (isList && sized.length === 0) ? undefined : { size, ...(sized.length && { fields: sized }) };
    const below = weigh(node.selectionSet, type, inner);
    if (!isList) return sum([1, below]);
    const own = sized.length === 0 ? size : undefined;
    const isOuter = !outer?.fields || outer.fields.includes(field.name);
    return sum([1, times(own ?? (isOuter ? outer?.size : undefined) ?? fallbackSize, below)]);
  };

  const weigh = ({ selections }: SelectionSetNode, parent: GraphQLNamedType, outer?: Inner): Weight =>
    sum(
      selections.map((each) => {
        if (each.kind === Kind.FIELD) return weighField(each, parent, outer);
        const part = each.kind === Kind.INLINE_FRAGMENT ? each : fragments.get(each.name.value);
        if (part?.kind !== Kind.INLINE_FRAGMENT && part?.kind !== Kind.FRAGMENT_DEFINITION) return 0;
        const type = part.typeCondition && schema.getType(part.typeCondition.name.value);
        return weigh(part.selectionSet, isCompositeType(type) ? type : parent, outer);
      }),
    );

  const weight = weigh(definition.selectionSet, rootTypeOf(schema, definition));
  return typeof weight === 'number' ? () => weight : weight;
}

const literal = (value: ValueNode | undefined): unknown =>
  value?.kind === Kind.INT || value?.kind === Kind.FLOAT ? Number(value.value) : undefined;

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

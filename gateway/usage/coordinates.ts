import { createHash } from 'node:crypto';
import {
  type ASTNode,
  type DocumentNode,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  Kind,
  type OperationDefinitionNode,
  print,
  separateOperations,
  TypeInfo,
  typeFromAST,
  type ValueNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';

/** The parts of the schema that an operation names. */
interface Coordinates {
  /**
   * Used by every request: fields (`Product.name`), arguments (`Query.product(id:)`), input fields (`ProductFilter.brand`), enum values
   * (`Currency.EUR`), and types that fragments and variables name (`Product`). Sorted.
   */
  readonly used: readonly string[];
  /** By variable, the arguments and input fields that it fills. A request uses them if it sends the variable. */
  readonly filled: ReadonlyMap<string, readonly string[]>;
}

/** The coordinates of one operation of a valid document. */
export function coordinatesOf(document: DocumentNode, definition: OperationDefinitionNode, schema: GraphQLSchema): Coordinates {
  const used = new Set<string>();
  const filled = new Map<string, Set<string>>();
  const withDefault = new Set<string>();
  const types = new TypeInfo(schema);
  /** An argument or input field. With a default, a variable always fills it. */
  const useInput = (coordinate: string, value: ValueNode) => {
    if (value.kind !== Kind.VARIABLE || withDefault.has(value.name.value)) return void used.add(coordinate);
    const places = filled.get(value.name.value);
    if (places) places.add(coordinate);
    else filled.set(value.name.value, new Set([coordinate]));
  };

  for (const { variable, defaultValue } of definition.variableDefinitions ?? [])
    if (defaultValue) withDefault.add(variable.name.value);
  visit(
    separateOperations(document)[definition.name?.value ?? '']!,
    visitWithTypeInfo(types, {
      Field() {
        const [parent, field] = [types.getParentType(), types.getFieldDef()];
        if (!parent || !field || field.name.startsWith('__')) return;
        used.add(`${parent.name}.${field.name}`);
        // The objects behind an interface have the field, too.
        if (isAbstractType(parent)) for (const { name } of schema.getPossibleTypes(parent)) used.add(`${name}.${field.name}`);
      },
      Argument({ name, value }) {
        const [parent, field] = [types.getParentType(), types.getFieldDef()];
        if (types.getDirective() || !parent || !field || field.name.startsWith('__')) return;
        const owners = [parent, ...(isAbstractType(parent) ? schema.getPossibleTypes(parent) : [])];
        for (const owner of owners) useInput(`${owner.name}.${field.name}(${name.value}:)`, value);
      },
      ObjectValue() {
        const type = types.getInputType() && getNamedType(types.getInputType()!);
        if (isInputObjectType(type)) used.add(type.name);
      },
      ObjectField({ name, value }) {
        const parent = types.getParentInputType() && getNamedType(types.getParentInputType()!);
        if (isInputObjectType(parent)) useInput(`${parent.name}.${name.value}`, value);
      },
      EnumValue({ value }) {
        const type = types.getInputType() && getNamedType(types.getInputType()!);
        if (isEnumType(type)) used.add(`${type.name}.${value}`);
      },
      VariableDefinition({ type }) {
        const named = typeFromAST(schema, type as never);
        if (named) used.add(getNamedType(named)!.name);
      },
      InlineFragment: ({ typeCondition }) => void (typeCondition && used.add(typeCondition.name.value)),
      FragmentDefinition: ({ typeCondition }) => void used.add(typeCondition.name.value),
    }),
  );
  return {
    used: [...used].sort(),
    filled: new Map([...filled].map(([name, places]) => [name, [...places].sort()])),
  };
}

/**
 * The text of one operation without values of its caller: texts, numbers and aliases are replaced, so that operations which differ only in
 * them have the same text. Enum values, booleans and names of input fields stay. The text is valid against the schema of the document.
 */
export function signatureOf(document: DocumentNode, definition: OperationDefinitionNode, schema: GraphQLSchema): string {
  const types = new TypeInfo(schema);
  const aliases = new Map<string, string>();
  const aliasOf = (alias: string) => {
    const known = aliases.get(alias) ?? `a${aliases.size}`;
    aliases.set(alias, known);
    return known;
  };
  const hidden = visit(
    separateOperations(document)[definition.name?.value ?? '']!,
    visitWithTypeInfo(types, {
      Field: ({ alias, ...field }) =>
        alias && alias.value !== field.name.value
          ? { ...field, alias: { ...alias, value: aliasOf(alias.value) } }
          : { ...field, alias: undefined },
      StringValue: () => hiddenText,
      IntValue: ({ kind }) => ({ kind, value: '0' }),
      FloatValue: ({ kind }) => ({ kind, value: '0.0' }),
      EnumValue: () => (isEnumType(types.getInputType() && getNamedType(types.getInputType()!)) ? undefined : hiddenText),
      ObjectValue: {
        enter: (node) => {
          const type = types.getInputType();
          // The keys of a scalar that holds JSON are values of the caller.
          if (!type || !isInputObjectType(getNamedType(type))) return { ...node, fields: [] };
        },
        leave: (node) => ({ ...node, fields: node.fields.toSorted((one, other) => (one.name.value < other.name.value ? -1 : 1)) }),
      },
      ListValue: { leave: (node) => ({ ...node, values: distinct(node.values) }) },
    }),
  );
  return print(hidden as ASTNode);
}

const hiddenText = { kind: Kind.STRING, value: '' } as const;

/** A list of many equal values says how many its caller sent. */
function distinct(values: readonly ValueNode[]): ValueNode[] {
  return [...new Map(values.map((value) => [print(value), value])).values()];
}

/** Identifies an operation by its text and the REST row that runs it, if any. */
export const hashOf = (signature: string, label = ''): string =>
  createHash('sha256').update(`${label}\n${signature}`).digest('hex').slice(0, 32);

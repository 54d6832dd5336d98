import { createHash } from 'node:crypto';
import {
  type ASTNode,
  type DocumentNode,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  Kind,
  type OperationDefinitionNode,
  print,
  separateOperations,
  TypeInfo,
  type ValueNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';

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

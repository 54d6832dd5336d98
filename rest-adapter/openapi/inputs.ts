import type { FieldNode, GraphQLInputType, GraphQLSchema, OperationDefinitionNode, ValueNode } from 'graphql';
import { getNamedType, isInputObjectType, Kind, TypeInfo, typeFromAST, visit, visitWithTypeInfo } from 'graphql';
import { WHOLE_BODY } from '../request/variables.ts';
import { CURSOR, type Route } from '../route.ts';
import type { DocumentedInput } from './json-schema.ts';

/** A variable of an operation and its documented place in the request. */
export interface Input extends DocumentedInput {
  name: string;
  place: 'path' | 'query' | 'header' | 'body' | 'whole body';
  /** The request header, for inputs in a header. */
  header?: string;
}

/** The variables of a row, with the documentation of the arguments or input fields that they fill. */
export function inputsOf(route: Route, operation: OperationDefinitionNode, schema: GraphQLSchema): Input[] {
  const targets = targetsOf(operation, schema);
  const isCursor = (name: string) => route.row.reply === 'file' && name === CURSOR;
  const definitions = (operation.variableDefinitions ?? []).filter(({ variable }) => !isCursor(variable.name.value));
  return definitions.map(({ variable, type, defaultValue }) => {
    const name = variable.name.value;
    const target = targets.get(name);
    // A required variable overrides the default of its argument.
    const open = type.kind !== Kind.NON_NULL_TYPE;
    const ownDefault = defaultValue ?? (open ? target?.astNode?.defaultValue : undefined);
    return {
      name,
      place: placeOf(name, route),
      header: route.row.headerVariables?.[name],
      type: typeFromAST(schema, type) as GraphQLInputType,
      defaultValue: open ? target?.defaultValue : undefined,
      astNode: { ...target?.astNode, defaultValue: ownDefault },
    };
  });
}

function placeOf(name: string, { params, method, row }: Route): Input['place'] {
  if (name === WHOLE_BODY) return 'whole body';
  if (params.includes(name)) return 'path';
  if (Object.hasOwn(row.headerVariables ?? {}, name)) return 'header';
  const inQuery = method === 'GET' || method === 'DELETE' || Object.hasOwn(row.example.query ?? {}, name);
  return inQuery ? 'query' : 'body';
}

function targetsOf(operation: OperationDefinitionNode, schema: GraphQLSchema): Map<string, DocumentedInput> {
  const targets = new Map<string, DocumentedInput>();
  const follow = (value: ValueNode, target: DocumentedInput | undefined): void => {
    if (!target) return;
    if (value.kind === Kind.VARIABLE && !targets.has(value.name.value)) targets.set(value.name.value, target);
    if (value.kind === Kind.LIST) for (const each of value.values) follow(each, target);
    if (value.kind !== Kind.OBJECT) return;
    const type = getNamedType(target.type);
    for (const field of value.fields) follow(field.value, isInputObjectType(type) ? type.getFields()[field.name.value] : undefined);
  };

  const types = new TypeInfo(schema);
  const Field = (node: FieldNode) => {
    const args = types.getFieldDef()?.args ?? [];
    for (const { name, value } of node.arguments ?? [])
      follow(
        value,
        args.find((each) => each.name === name.value),
      );
  };
  visit(operation, visitWithTypeInfo(types, { Field }));
  return targets;
}

import { type GraphQLSchema, isEnumType, isInputObjectType, isInterfaceType, isObjectType } from 'graphql';

/** A field, argument, input field or enum value of a schema. */
export interface SchemaPart {
  readonly coordinate: string;
  readonly description: string;
  /** Undefined unless the part is deprecated. */
  readonly deprecation?: string;
}

interface Described {
  readonly description?: string | null;
  readonly deprecationReason?: string | null;
}

/** The parts of a schema whose use is counted, in the order of the schema. */
export function partsOf(schema: GraphQLSchema): SchemaPart[] {
  const parts: SchemaPart[] = [];
  const add = (coordinate: string, { description, deprecationReason }: Described) =>
    parts.push({ coordinate, description: description ?? '', deprecation: deprecationReason ?? undefined });
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__')) continue;
    if (isObjectType(type) || isInterfaceType(type)) {
      for (const field of Object.values(type.getFields())) {
        add(`${type.name}.${field.name}`, field);
        for (const argument of field.args) add(`${type.name}.${field.name}(${argument.name}:)`, argument);
      }
    } else if (isInputObjectType(type)) {
      for (const field of Object.values(type.getFields())) add(`${type.name}.${field.name}`, field);
    } else if (isEnumType(type)) {
      for (const value of type.getValues()) add(`${type.name}.${value.name}`, value);
    }
  }
  return parts;
}

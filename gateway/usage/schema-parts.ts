import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql';

/** A field, argument, input field or enum value of a schema. */
export interface SchemaPart {
  readonly coordinate: string;
  readonly description: string;
  /** Undefined unless the part is deprecated. */
  readonly deprecation?: string;
}

export interface DescribedPart extends SchemaPart {
  /** As in SDL, with the default; empty for an enum value. */
  readonly type: string;
}

/** The parts of a schema whose use is counted, in the order of the schema. */
export const partsOf = (schema: GraphQLSchema): SchemaPart[] => [...describedParts(schema)].map(({ type: _, ...part }) => part);

/** The parts of a schema with their types. */
export function* describedParts(schema: GraphQLSchema): Generator<DescribedPart> {
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__') || isSpecifiedScalarType(type)) continue;
    if (isObjectType(type) || isInterfaceType(type)) {
      for (const field of Object.values(type.getFields())) {
        yield describe(`${type.name}.${field.name}`, field, String(field.type));
        for (const argument of field.args)
          yield describe(`${type.name}.${field.name}(${argument.name}:)`, argument, inputOf(argument));
      }
    } else if (isInputObjectType(type)) {
      for (const field of Object.values(type.getFields())) yield describe(`${type.name}.${field.name}`, field, inputOf(field));
    } else if (isEnumType(type)) {
      for (const value of type.getValues()) yield describe(`${type.name}.${value.name}`, value, '');
    }
  }
}

interface Described {
  readonly description?: string | null;
  readonly deprecationReason?: string | null;
}

const describe = (coordinate: string, { description, deprecationReason }: Described, type: string): DescribedPart => ({
  coordinate,
  description: description ?? '',
  deprecation: deprecationReason ?? undefined,
  type,
});

const inputOf = ({ type, defaultValue }: GraphQLArgument | GraphQLInputField): string =>
  defaultValue === undefined ? String(type) : `${type} = ${JSON.stringify(defaultValue)}`;

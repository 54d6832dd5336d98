import { type GraphQLSchema, isScalarType, isSpecifiedScalarType } from 'graphql';
import { type JsonSchema, leafSchema } from '../../rest-adapter/openapi/json-schema.ts';

/** The configuration of GraphQL Code Generator that gives every scalar of a schema its TypeScript type. */
export function codegenConfig(schema: GraphQLSchema) {
  const own = Object.values(schema.getTypeMap()).filter((type) => isScalarType(type) && !isSpecifiedScalarType(type));
  const scalars = own.map((type) => {
    const [input, output] = (['input', 'output'] as const).map((direction) => typeText(leafSchema(type, direction), type.name));
    return [type.name, input === output ? output : { input, output }];
  });
  // Node resolves only imports with an extension; bundlers accept it.
  const imports = { emitLegacyCommonJSImports: false, importExtension: '.js' };
  return { scalars: Object.fromEntries(scalars.sort()), strictScalars: true, enumsAsTypes: true, ...imports };
}

const primitives: Record<string, string> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

/** A TypeScript type of the values that a JSON schema describes. Throws where the schema says nothing. */
function typeText(schema: JsonSchema, name: string): string {
  const { type, oneOf, items, properties, additionalProperties, required = [] } = schema;
  const nested = (each: unknown) => typeText(each as JsonSchema, name);
  if (Array.isArray(schema.enum)) return schema.enum.map((word) => `'${word}'`).join(' | ');
  if (Array.isArray(oneOf)) return oneOf.map(nested).join(' | ');
  if (Array.isArray(type)) return type.map((each) => nested({ ...schema, type: each })).join(' | ');
  if (type === 'array') return `Array<${items ? nested(items) : 'unknown'}>`;
  if (type === 'object' && properties) {
    const isRequired = (key: string) => (required as string[]).includes(key);
    const fields = Object.entries(properties).map(([key, each]) => `${key}${isRequired(key) ? '' : '?'}: ${nested(each)}`);
    return `{ ${fields.join('; ')} }`;
  }
  if (type === 'object') return `Record<string, ${additionalProperties ? nested(additionalProperties) : 'unknown'}>`;
  const primitive = primitives[type as string];
  if (!primitive) throw new Error(`The scalar ${name} has no schema in schema/scalar-schemas.ts`);
  return primitive;
}

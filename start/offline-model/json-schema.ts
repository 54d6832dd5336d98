import { isObject, type JsonObject } from '../../schema/json.ts';

/** The minimal value that matches a schema: null if allowed, else empty, zero, false or the first enum value. */
export function emptyOf(schema: JsonObject, root = schema, depth = 0): unknown {
  const { $ref, $defs, anyOf, oneOf, allOf, enum: words, const: constant, type } = schema;
  // Only recursive schemas are deeper.
  if (depth > 32) return null;
  const inner = (each: unknown) => emptyOf(isObject(each) ? each : {}, root, depth + 1);
  if (typeof $ref === 'string') return inner(lookUp(root, $ref) ?? $defs);
  if (constant !== undefined) return constant;
  if (Array.isArray(words)) return words.includes(null) ? null : (words[0] ?? null);
  for (const choices of [anyOf, oneOf, allOf]) if (Array.isArray(choices)) return inner(choices.find(allowsNull) ?? choices[0]);
  if (allowsNull(schema)) return null;
  return emptyOfType(Array.isArray(type) ? type[0] : type, schema, inner);
}

const allowsNull = (schema: unknown) => isObject(schema) && [schema.type].flat().includes('null');

function emptyOfType(type: unknown, schema: JsonObject, inner: (schema: unknown) => unknown): unknown {
  const least = (key: string) => Number(schema[key] ?? 0);
  switch (type) {
    case 'string':
      return ' '.repeat(least('minLength'));
    case 'number':
    case 'integer':
      return Math.min(Math.max(0, least('minimum')), Number(schema.maximum ?? Number.POSITIVE_INFINITY));
    case 'boolean':
      return false;
    case 'array':
      return Array.from({ length: least('minItems') }, () => inner(schema.items));
    case 'object': {
      const properties = isObject(schema.properties) ? schema.properties : {};
      const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
      return Object.fromEntries(required.map((name) => [name, inner(Object.hasOwn(properties, name) ? properties[name] : {})]));
    }
    default:
      return null;
  }
}

/** Resolves `#/$defs/Name` within the same document. */
function lookUp(root: JsonObject, reference: string): unknown {
  return reference
    .replace(/^#\/?/, '')
    .split('/')
    .filter(Boolean)
    .reduce<unknown>((at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined), root);
}

interface Schema {
  type?: string | string[];
  default?: unknown;
  examples?: unknown[];
  enum?: unknown[];
  properties?: Record<string, Schema>;
}

const blanks: Record<string, unknown> = { string: '', number: 0, integer: 0, boolean: false, array: [], null: null };

/** A value of the form that a JSON schema describes, for a person to fill in. */
export function exampleOf(schema: Schema): unknown {
  const { default: preset, examples, enum: options, properties } = schema;
  const given = preset ?? examples?.[0] ?? options?.[0];
  if (given !== undefined) return given;
  const [type = 'object'] = [schema.type ?? 'object'].flat();
  if (type !== 'object') return blanks[type];
  return Object.fromEntries(Object.entries(properties ?? {}).map(([name, property]) => [name, exampleOf(property)]));
}

import type { AttributeRequest } from './attribute.ts';

export type JsonSchema = Record<string, unknown>;

/** Providers refuse schemas with very long lists of words; beyond this the options stand in the prompt only and code holds them. */
const MOST_ENUM_WORDS = 250;

/** Under which property the model answers each attribute: its slug where that is a plain word, else a number. */
export function propertyNames(attributes: readonly AttributeRequest[]): Map<string, AttributeRequest> {
  const plain = /^(?!attribute_\d+$)[a-z][a-z0-9_-]{0,63}$/i;
  return new Map(attributes.map((each, index) => [plain.test(each.slug) ? each.slug : `attribute_${index + 1}`, each]));
}

/** The strict schema of a reply. Models write keys in this order, so the evidence comes before the value and the confidence last. */
export function replySchema(properties: ReadonlyMap<string, AttributeRequest>, sourceIds: readonly string[]): JsonSchema {
  const source = sourceIds.length > 0 ? { type: ['string', 'null'], enum: [...sourceIds, null] } : { type: 'null' };
  return object(
    [...properties].map(([name, attribute]) => [
      name,
      object([
        ['source', source],
        ['quote', { type: ['string', 'null'], description: 'The words of the source that say it, copied exactly.' }],
        ['value', valueSchema(attribute)],
        ['confidence', { type: 'integer', description: '0 to 100' }],
      ]),
    ]),
  );
}

function valueSchema({ type, options }: AttributeRequest): JsonSchema {
  const closed = options.length > 0 && options.length <= MOST_ENUM_WORDS;
  switch (type) {
    case 'number':
    case 'boolean':
      return { type: [type, 'null'] };
    case 'select':
      return closed ? { type: ['string', 'null'], enum: [...options, null] } : { type: ['string', 'null'] };
    case 'multiselect':
      return { type: ['array', 'null'], items: closed ? { type: 'string', enum: options } : { type: 'string' } };
    case 'text':
    case 'html':
    case 'date':
      return { type: ['string', 'null'] };
  }
}

/** Strict schemas know no optional properties: all are required, and absent is null. */
export const object = (properties: [string, JsonSchema][]): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(properties),
  required: properties.map(([name]) => name),
  additionalProperties: false,
});

import type { AttributeRequest } from './attribute.ts';
import { DERIVATIONS } from './evidence.ts';

export type JsonSchema = Record<string, unknown>;

/** Providers reject schemas with very long enums. Longer lists of options are part of the prompt only, and the reply is validated. */
const MAX_ENUM_VALUES = 250;

/** The property of each attribute in a reply: its slug if that is a plain identifier, else a number. */
export function propertyNames(attributes: readonly AttributeRequest[]): Map<string, AttributeRequest> {
  const plain = /^(?!attribute_\d+$)[a-z][a-z0-9_-]{0,63}$/i;
  return new Map(attributes.map((each, index) => [plain.test(each.slug) ? each.slug : `attribute_${index + 1}`, each]));
}

/** The strict schema of a reply. Models generate keys in this order, so evidence precedes the value and confidence comes last. */
export function replySchema(properties: ReadonlyMap<string, AttributeRequest>, sourceIds: readonly string[]): JsonSchema {
  const source = sourceIds.length > 0 ? { type: ['string', 'null'], enum: [...sourceIds, null] } : { type: 'null' };
  return object(
    [...properties].map(([name, attribute]) => [
      name,
      object([
        ['source', source],
        ['quote', { type: ['string', 'null'], description: 'The words of the source that say it, copied exactly.' }],
        ['value', valueSchema(attribute)],
        [
          'derived',
          { type: ['string', 'null'], enum: [...DERIVATIONS, null], description: 'Why the quote does not contain the value.' },
        ],
        ['confidence', { type: 'integer', description: '0 to 100' }],
      ]),
    ]),
  );
}

function valueSchema({ type, options }: AttributeRequest): JsonSchema {
  const closed = options.length > 0 && options.length <= MAX_ENUM_VALUES;
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

/** A strict object schema, which has no optional properties: all are required and may be null. */
export const object = (properties: [string, JsonSchema][]): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(properties),
  required: properties.map(([name]) => name),
  additionalProperties: false,
});

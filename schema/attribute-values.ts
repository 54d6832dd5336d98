import { words } from './words.ts';

/** Limits of a map of attribute values that a caller sends. Lengths count code points. */
export const attributeLimits = { entries: 1_000, key: 128, id: 128, name: 256, text: 100_000, choices: 1_000 } as const;

const { entries, key, id, name, text, choices } = attributeLimits;
const attributeType = { type: 'string', enum: words.AttributeType.values };
const types = ['string', 'number', 'boolean', 'array', 'null'];

/** JSON Schemas of the scalar `AttributeValues`, for input and output. */
export const attributeValuesSchemas = {
  input: {
    type: 'object',
    maxProperties: entries,
    propertyNames: { minLength: 1, maxLength: key },
    additionalProperties: {
      type: 'object',
      properties: {
        attributeId: { type: ['string', 'null'], maxLength: id },
        attributeName: { type: 'string', maxLength: name },
        attributeType,
        value: { type: types, maxLength: text, maxItems: choices, items: { type: 'string', maxLength: text } },
      },
      required: ['attributeType', 'value'],
    },
  },
  output: {
    type: 'object',
    additionalProperties: {
      type: 'object',
      properties: {
        attributeId: { type: ['string', 'null'] },
        attributeName: { type: 'string' },
        attributeType,
        value: { type: types, items: { type: 'string' } },
      },
      required: ['attributeId', 'attributeName', 'attributeType', 'value'],
    },
  },
};

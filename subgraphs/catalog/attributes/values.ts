import { GraphQLScalarType } from 'graphql';
import { GraphQLJSONObject } from 'graphql-scalars';
import { attributeLimits } from '../../../schema/attribute-values.ts';
import { fail } from '../../../schema/errors.ts';
import { isObject } from '../../../schema/json.ts';
import { isLonger } from '../../../schema/text.ts';
import { notInList, type Word, words } from '../../../schema/words.ts';

export type AttributeType = Word<'AttributeType'>;

/** An attribute value object, as documented. The form of `value` depends on the type; null means nothing was found. */
export interface AttributeValue {
  attributeId: string | null;
  attributeName: string;
  attributeType: AttributeType;
  value: string | number | boolean | string[] | null;
}
export type AttributeValues = Record<string, AttributeValue>;

/** Where one value came from. */
export interface Provenance {
  jobId: string;
  itemId: string;
  model: string;
  /** 0 to 100. */
  confidence: number;
  /** `text`, `page`, `search`, `variants`, … */
  sourceKind: string | null;
  sourceUrl: string | null;
  snippet: string | null;
  /** SHA-256 of the text that was read. */
  contentHash: string | null;
  at: string;
}
export type Provenances = Record<string, Provenance>;

/** A map of ours. What a caller sends is let through to `readAttributeValues`, which names what is wrong with it. */
const named = (name: string, description: string) =>
  new GraphQLScalarType({ ...GraphQLJSONObject.toConfig(), name, description, parseValue: (value) => value });

export const AttributeValuesScalar = named(
  'AttributeValues',
  'A map of attribute slug to attribute value object: `attributeId`, `attributeName`, `attributeType`, `value`. The value is text for text, html, select and date (ISO), a number, a boolean, or an array of strings for multiselect.',
);
export const ProvenancesScalar = named(
  'Provenances',
  'A map of attribute slug to where the value came from: job, item, model, confidence (0 to 100), kind and URL of the source, the passage that was read and the SHA-256 of its text.',
);

const ISO_DATE = /^(\d{4})-(\d\d)-(\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/;

const isCalendarDate = (text: string) => {
  const [, year, month, day] = ISO_DATE.exec(text) ?? [];
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.getUTCDate() === Number(day);
};

const isText = (value: unknown) => typeof value === 'string' && !isLonger(value, attributeLimits.text);
/** By type: what a value must be, in words, and whether it is. */
const forms: Record<AttributeType, { expected: string; fits(value: unknown): boolean }> = {
  text: { expected: 'a string', fits: isText },
  html: { expected: 'a string of HTML', fits: isText },
  number: { expected: 'a number', fits: (value) => typeof value === 'number' && Number.isFinite(value) },
  date: { expected: 'an ISO date', fits: (value) => typeof value === 'string' && isCalendarDate(value) },
  boolean: { expected: 'true or false', fits: (value) => typeof value === 'boolean' },
  select: { expected: 'a string', fits: isText },
  multiselect: {
    expected: 'an array of strings',
    fits: (value) => Array.isArray(value) && value.length <= attributeLimits.choices && value.every(isText),
  },
};

/**
 * Read a caller's map of attribute values, refusing the first that is not of the documented form.
 * @param path what the map is called in the refusal
 */
export function readAttributeValues(map: unknown, path = 'attributes'): AttributeValues {
  if (!isObject(map)) throw fail('INVALID_INPUT', `${path} must be an object`);
  const entries = Object.entries(map);
  if (entries.length > attributeLimits.entries)
    throw fail('INVALID_INPUT', `${path} must have at most ${attributeLimits.entries} entries`);
  return Object.fromEntries(entries.map(([key, value]) => [key, readAttributeValue(key, value, `${path}.${key}`)]));
}

function readAttributeValue(key: string, given: unknown, path: string): AttributeValue {
  const refuse = (fault: string): never => {
    throw fail('INVALID_INPUT', `${path}${fault}`);
  };
  if (key === '' || isLonger(key, attributeLimits.key) || key === '__proto__') refuse(' is no attribute key');
  if (!isObject(given)) return refuse(' must be an attribute value object');
  const { attributeId = null, attributeName = key, attributeType, value } = given;
  if (typeof attributeType !== 'string' || !(words.AttributeType.values as readonly string[]).includes(attributeType)) {
    refuse(`.attributeType ${notInList('AttributeType')}`);
  }
  if (attributeId !== null && (typeof attributeId !== 'string' || isLonger(attributeId, attributeLimits.id)))
    refuse('.attributeId must be a string');
  if (typeof attributeName !== 'string' || isLonger(attributeName, attributeLimits.name))
    refuse(`.attributeName must be a string of at most ${attributeLimits.name} characters`);
  if (value === undefined) refuse('.value is required');
  const { expected, fits } = forms[attributeType as AttributeType];
  if (value !== null && !fits(value)) refuse(`.value must be ${expected} for the type ${attributeType}`);
  return { attributeId, attributeName, attributeType, value } as AttributeValue;
}

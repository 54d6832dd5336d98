import { GraphQLScalarType } from 'graphql';
import { GraphQLJSON, GraphQLJSONObject } from 'graphql-scalars';
import type { EnumValue } from '../../../schema/enums.ts';

export type AttributeType = EnumValue<'AttributeType'>;

/** The content of a value; null means that no value was found. */
export type AttributeContent = string | number | boolean | string[] | null;

/** An attribute value object. The form of `value` depends on the type. */
export interface AttributeValue {
  attributeId: string | null;
  attributeName: string;
  attributeType: AttributeType;
  value: AttributeContent;
}
export type AttributeValues = Record<string, AttributeValue>;

/** The origin of one value. */
export interface Provenance {
  jobId: string;
  itemId: string;
  model: string;
  /** 0 to 100. */
  confidence: number;
  /** The confidence before calibration; absent if it is equal. */
  statedConfidence?: number;
  /** How the sources support the value. Values of variants and reviews have none. */
  evidence?: EnumValue<'ValueEvidence'> | null;
  /** Whether the catalog did not use the value before. */
  isNew?: boolean;
  /** Whether two readings of the sources agreed; absent if the job read them once. */
  agreed?: boolean;
  /** The value of the other reading, if they did not agree. */
  alternative?: AttributeContent;
  /** 0 to 100: ranks values by how likely they are right. Rules accept from a threshold on. */
  score?: number;
  /** The rule that accepted the value without a person. `threshold` is the lowest score that it accepts. */
  acceptedBy?: { ruleId: string; version: number; precision: number; threshold: number };
  /** When a person accepted or wrote the value. */
  reviewedAt?: string;
  /** `text`, `page`, `search`, `variants`, … */
  sourceKind: string | null;
  sourceUrl: string | null;
  /** The name of a source without a URL, such as a file. */
  sourceTitle?: string;
  /** The row and column of a file from which an import read the value. */
  cell?: { file: string; sheet: string; row: number; column: string };
  snippet: string | null;
  /** SHA-256 of the source text. */
  contentHash: string | null;
  at: string;
}
export type Provenances = Record<string, Provenance>;

/** A scalar of JSON. It accepts everything from a caller: `attributeFaults` says what is wrong with it. */
const named = (json: GraphQLScalarType, name: string, description: string) =>
  new GraphQLScalarType({ ...json.toConfig(), name, description, parseValue: (value) => value });

export const AttributeValuesScalar = named(
  GraphQLJSONObject,
  'AttributeValues',
  'A map of attribute slug to attribute value object: `attributeId`, `attributeName`, `attributeType`, `value`. The value is text for text, html, select and date (ISO), a number, a boolean, or an array of strings for multiselect. HTML is reduced to an allow-list of tags, without scripts. If `attributeId` or `attributeName` is omitted, it is taken from the product attribute of that slug.',
);
export const AttributeContentScalar = named(
  GraphQLJSON,
  'AttributeContent',
  'The `value` of an attribute value object: text, a number, a boolean, an array of strings, or null.',
);

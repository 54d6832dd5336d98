import { GraphQLScalarType } from 'graphql';
import { GraphQLJSONObject } from 'graphql-scalars';
import type { AttributeContent, AttributeType } from '../attributes/values.ts';
import type { FoundValues } from '../enrichment/ask-model.ts';

/** The comparison of one value with its sources. */
export interface ValidationResult {
  attributeId: string | null;
  attributeName: string;
  attributeType: AttributeType;
  existingValue: AttributeContent;
  isValid: boolean;
  /** 0 to 100. */
  confidence: number;
  explanation: string;
}
export type ValidationResults = Record<string, ValidationResult>;

export interface Comparison {
  results: ValidationResults;
  images: FoundValues['images'];
}

export const ValidationResultsScalar = new GraphQLScalarType({
  ...GraphQLJSONObject.toConfig(),
  name: 'ValidationResults',
  description:
    'A map of attribute slug to the comparison of its value with the sources: `attributeId`, `attributeName`, `attributeType`, `existingValue`, `isValid`, `confidence` (0 to 100) and `explanation`.',
});

/** The mean likelihood that the values are correct, 0 to 100 with two decimals. */
export function overallScore(results: ValidationResults): number {
  const scores = Object.values(results).map(({ isValid, confidence }) => (isValid ? confidence : 100 - confidence));
  return Math.round((100 * scores.reduce((sum, each) => sum + each, 0)) / scores.length) / 100;
}

import type { ConfidenceQuery } from '../../../.graph/graphql.ts';
import { graphql } from '../../graph/graphql.ts';

export const CONFIDENCE = graphql(`
  query Confidence($slug: String, $modelType: ModelType) {
    confidenceReport(slug: $slug, modelType: $modelType) {
      count calibrationError statedCalibrationError
      bands { from count right confidence statedConfidence }
      groups { slug modelType count right confidence statedConfidence calibrationError statedCalibrationError }
    }
  }
`);
export const ATTRIBUTE_NAMES = graphql(`
  query ConfidenceAttributes {
    products: attributes(subject: product) { id slug name }
    brands: attributes(subject: brand) { id slug name }
    categories: attributes(subject: category) { id slug name }
  }
`);

export type Report = ConfidenceQuery['confidenceReport'];

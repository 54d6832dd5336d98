import type { AttributeSetPageQuery, SetChoicesQuery } from '../../../.graph/graphql.ts';
import { graphql } from '../../graph/graphql.ts';
import '../../jobs/summary.ts';

export const SET = graphql(`
  query AttributeSetPage($id: ID!) {
    attributeSet(id: $id) { id name subject attributeSetAttributes { order attribute { id name } } }
  }
`);
export const CHOICES = graphql(`
  query SetChoices($subject: AttributeSubject!) { attributes(subject: $subject) { id name slug type unit isActive } }
`);
export const CREATE = graphql(`
  mutation CreateAttributeSet($name: String!, $subject: AttributeSubject!, $attributeIds: [ID!]!) {
    createAttributeSet(name: $name, subject: $subject, attributeIds: $attributeIds) { id }
  }
`);
export const CHANGE = graphql(`
  mutation ChangeAttributeSet($id: ID!, $name: String, $attributeIds: [ID!]) {
    updateAttributeSet(id: $id, name: $name, attributeIds: $attributeIds) {
      id name attributeSetAttributes { order attribute { id name } }
    }
  }
`);
export const DELETE = graphql(`mutation DeleteAttributeSet($id: ID!) { deleteAttributeSet(id: $id) { id } }`);

export const TRIAL_PRODUCTS = graphql(`
  query TrialProducts($search: String!) { products(search: $search, limit: 20, orderBy: name, sortOrder: asc) { nodes { id name sku } } }
`);
export const TRIAL_COST = graphql(`
  query TrialCost($productIds: [ID!]!, $modelType: ModelType!) {
    jobEstimate(kind: "product-enrichment", productIds: $productIds, modelType: $modelType, rows: 0) { credits isCovered }
  }
`);
export const START_TRIAL = graphql(`
  mutation StartTrial($input: NewProductEnrichmentJob!) { createProductEnrichmentJob(input: $input) { ...JobSummary } }
`);
export const TRIAL = graphql(`
  query Trial($id: ID!) {
    job(id: $id) {
      ...JobSummary sequence
      items(limit: 1) {
        nodes { id status errorMessage enrichedData provenance { slug confidence sourceKind sourceUrl snippet } }
      }
    }
  }
`);
export const TRIAL_PROGRESS = graphql(`
  subscription TrialProgress($id: ID!, $after: Int!) { jobProgress(id: $id, after: $after) { sequence job { ...JobSummary } } }
`);

export type AttributeSet = AttributeSetPageQuery['attributeSet'];
export type Choice = SetChoicesQuery['attributes'][number];
export type Subject = AttributeSet['subject'];

import type { Client } from 'urql';
import type { JobListQueryVariables, StartEnrichmentMutationVariables } from '../../../.graph/graphql.ts';
import { messageOf } from '../../graph/client.ts';
import { graphql } from '../../graph/graphql.ts';

export type Kind = NonNullable<JobListQueryVariables['kind']>;
/** The choices of the form, for every kind. */
export interface Choices {
  kind: Kind;
  productIds: string[];
  /** Names of brands or categories, one a line. */
  names: string;
  files: string[];
  prompt: string;
  autoEnrich: boolean;
  modelType: 'budget-v1' | 'pro-v1';
  attributeSetId: string | null;
  websearch: boolean;
  extractImages: boolean;
  overwrite: NonNullable<StartEnrichmentMutationVariables['input']['overwrite']>;
  sample: number | null;
  maxCredits: number | null;
}

const ENRICHMENT = graphql(`
  mutation StartEnrichment($input: NewProductEnrichmentJob!, $limits: JobLimits) {
    job: createProductEnrichmentJob(input: $input, limits: $limits) { ...JobSummary }
  }
`);
const BRANDS = graphql(
  `mutation StartBrands($input: NewBrandEnrichmentJob!) { job: createBrandEnrichmentJob(input: $input) { ...JobSummary } }`,
);
const CATEGORIES = graphql(`
  mutation StartCategories($input: NewProductCategoryEnrichmentJob!) { job: createProductCategoryEnrichmentJob(input: $input) { ...JobSummary } }
`);
const VALIDATION = graphql(`
  mutation StartValidation($input: NewProductValidationJob!) { job: createProductValidationJob(input: $input) { ...JobSummary } }
`);
const ANALYSIS = graphql(`
  mutation StartAnalysis($input: NewProductMarketAnalysisJob!) { job: createProductMarketAnalysisJob(input: $input) { ...JobSummary } }
`);
const IMPORT = graphql(`mutation StartImport($input: NewAiImportJob!) { job: createAiImportJob(input: $input) { ...JobSummary } }`);

/** The subject of the attributes that a kind fills in; undefined if it has none. */
export const subjectOf: Record<Kind, 'product' | 'brand' | 'category' | undefined> = {
  'product-enrichment': 'product',
  'product-validation': 'product',
  'brand-enrichment': 'brand',
  'product-category-enrichment': 'category',
  'product-market-analysis': undefined,
  'ai-import': undefined,
};

/** The distinct names of brands or categories. */
export const namesOf = (names: string): string[] => [
  ...new Set(
    names
      .split('\n')
      .map((name) => name.trim())
      .filter(Boolean),
  ),
];

/** Start a job. Throws the server's sentence, and returns the id of the job. */
export async function startJob(client: Client, choices: Choices): Promise<string> {
  const { data, error } = await mutate(client, choices);
  if (!data) throw new Error(error ? messageOf(error) : '');
  return data.job.id;
}

function mutate(client: Client, choices: Choices) {
  const { kind, productIds, modelType, extractImages, websearch, overwrite, files, autoEnrich } = choices;
  const attributeSetId = choices.attributeSetId ?? undefined;
  const uploadedFileIds = files.length > 0 ? files : undefined;
  const rows = namesOf(choices.names).map((name) => ({ name }));
  const labels = { rows, inputColumns: ['name'], modelType, attributeSetId, uploadedFileIds, useWebsearch: websearch };
  switch (kind) {
    case 'product-enrichment': {
      const limits = {
        sample: choices.sample || undefined,
        maxCredits: choices.maxCredits ?? undefined,
      };
      const input = { productIds, modelType, websearch, extractImages, overwrite, attributeSetId, uploadedFileIds };
      return client.mutation(ENRICHMENT, { input, limits });
    }
    case 'product-validation':
      return client.mutation(VALIDATION, { input: { productIds, modelType, extractImages, attributeSetId } });
    case 'product-market-analysis':
      return client.mutation(ANALYSIS, { input: { productIds, modelType } });
    case 'brand-enrichment':
      return client.mutation(BRANDS, { input: { ...labels, fileName: 'brands.csv' } });
    case 'product-category-enrichment':
      return client.mutation(CATEGORIES, { input: { ...labels, fileName: 'categories.csv' } });
    case 'ai-import': {
      const prompt = choices.prompt.trim() || undefined;
      return client.mutation(IMPORT, { input: { uploadedFileIds: files, modelType, prompt, autoEnrich } });
    }
  }
}

import { SimpleGrid, Stack, Switch, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'react-router';
import { type Client, useClient } from 'urql';
import type { JobListQueryVariables, StartEnrichmentMutationVariables } from '../../../.graph/graphql.ts';
import { messageOf } from '../../graph/graph-client.ts';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import { AttributeSetField, EstimateNote, TierField } from '../../jobs/job-fields.tsx';
import { Choice, FormButtons, LongText, NumberField, useClosingForm } from '../../parts/forms-and-dialogs.tsx';
import { useGo } from '../../session/session.tsx';
import '../../jobs/job-state.tsx';
import { useDebouncedValue } from '@mantine/hooks';
import { useUnsaved } from '../../parts/leaving.ts';
import { PageTitle, Section } from '../../parts/page-frame.tsx';
import { useUrlState } from '../../parts/url-state.ts';
import { useStrings } from '../../strings/strings.tsx';
import { isPrecision, PrecisionField } from '../../values/precision.tsx';
import { FileField, ProductField } from './inputs.tsx';

/** A product import starts on the page of its import, and a bulk edit in the list of products. */
type Kind = Exclude<NonNullable<JobListQueryVariables['kind']>, 'product-import' | 'product-edit' | 'product-export'>;
/** The choices of the form, for every kind. */
interface Choices {
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
  /** The wanted precision of values that are accepted without a person; null for the default. */
  precision: number | null;
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
const subjectOf: Record<Kind, 'product' | 'brand' | 'category' | undefined> = {
  'product-enrichment': 'product',
  'product-validation': 'product',
  'brand-enrichment': 'brand',
  'product-category-enrichment': 'category',
  'product-market-analysis': undefined,
  'ai-import': undefined,
};

/** The distinct names of brands or categories. */
const namesOf = (names: string): string[] => [
  ...new Set(
    names
      .split('\n')
      .map((name) => name.trim())
      .filter(Boolean),
  ),
];

/** Start a job. Throws the server's sentence, and returns the id of the job. */
async function startJob(client: Client, choices: Choices): Promise<string> {
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
      const limits = { sample: choices.sample || undefined, maxCredits: choices.maxCredits ?? undefined };
      const autoAccept = choices.precision === null ? undefined : { precision: choices.precision };
      const input = { productIds, modelType, websearch, extractImages, overwrite, attributeSetId, uploadedFileIds, autoAccept };
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

const DEFAULTS = { kind: 'product-enrichment' };
const withProducts: Kind[] = ['product-enrichment', 'product-validation', 'product-market-analysis'];
const withNames: Kind[] = ['brand-enrichment', 'product-category-enrichment'];
const withImages: Kind[] = ['product-enrichment', 'product-validation'];

/** Starts a job of any kind. Products and names may come from a list by the navigation state. */
export function Page() {
  const { confidence, jobs, newJob, pages, terms, actions } = useStrings();
  const client = useClient();
  const { leaveTo, goBack } = useGo();
  const [chosen] = useUrlState(DEFAULTS, { kind: Object.keys(subjectOf) });
  const location = useLocation() as { state: { productIds?: string[]; names?: string[] } | null };
  const [busy, setBusy] = useState(false);
  const [isUploading, setUploading] = useState(false);
  const form = useClosingForm<Choices>({
    initialValues: {
      kind: chosen.kind as Kind,
      productIds: location.state?.productIds ?? [],
      names: location.state?.names?.join('\n') ?? '',
      files: [],
      prompt: '',
      autoEnrich: false,
      modelType: 'budget-v1',
      attributeSetId: null,
      websearch: true,
      extractImages: false,
      overwrite: 'unreviewed',
      sample: null,
      maxCredits: null,
      precision: null,
    },
    validate: {
      productIds: (ids, { kind }) => (withProducts.includes(kind) && ids.length === 0 ? newJob.noProducts : null),
      names: (names, { kind }) => (withNames.includes(kind) && namesOf(names).length === 0 ? newJob.noNames : null),
      precision: (precision) => (isPrecision(precision) ? null : newJob.wrongPrecision),
      files: (files, { kind }) => (kind === 'ai-import' && files.length === 0 ? newJob.noFiles : null),
    },
  });
  const { values, field, check, getInputProps, setFieldValue } = form;
  const { kind } = values;
  useUnsaved(form.isDirty());

  async function start() {
    setBusy(true);
    // The shell shows the server's sentence when a mutation fails.
    const id = await startJob(client, values).catch(() => null);
    setBusy(false);
    if (!id) return;
    leaveTo(`jobs/${id}`);
  }
  return (
    <>
      <PageTitle title={pages.newJob} />
      <form onSubmit={form.onSubmit(start)}>
        <Stack maw={760}>
          <Choice
            {...field('kind', terms.kind, jobs.kindTexts[kind])}
            data={(Object.keys(subjectOf) as Kind[]).map((value) => ({ value, label: jobs.kinds[value] }))}
            onChange={(value) => form.setValues({ kind: value as Kind, attributeSetId: null })}
          />
          {withProducts.includes(kind) && (
            <ProductField
              ids={values.productIds}
              onChange={(ids) => setFieldValue('productIds', ids)}
              error={form.errors.productIds}
            />
          )}
          {withNames.includes(kind) && <LongText {...field('names', newJob.names, newJob.namesText)} rows={[4, 14]} />}
          {kind !== 'product-market-analysis' && kind !== 'product-validation' && (
            <FileField
              label={kind === 'ai-import' ? terms.files : newJob.moreFiles}
              ids={values.files}
              onChange={(ids) => setFieldValue('files', ids)}
              error={form.errors.files}
              isUploading={isUploading}
              onUploading={setUploading}
            />
          )}
          {kind === 'ai-import' && <Textarea {...field('prompt', newJob.prompt, newJob.promptText)} autosize minRows={2} />}
          <TierField {...getInputProps('modelType')} />
          {subjectOf[kind] && <AttributeSetField key={kind} subject={subjectOf[kind]} {...getInputProps('attributeSetId')} />}
          {(kind === 'product-enrichment' || withNames.includes(kind)) && <Switch {...check('websearch', newJob.websearch)} />}
          {withImages.includes(kind) && <Switch {...check('extractImages', newJob.images)} />}
          {kind === 'ai-import' && <Switch {...check('autoEnrich', newJob.autoEnrich)} />}
          {kind === 'product-enrichment' && (
            <>
              <Choice {...field('overwrite', newJob.overwrite)} labels={newJob.overwrites} />
              <PrecisionField {...field('precision', newJob.precision, newJob.precisionText)} placeholder={confidence.inherited} />
              <Section title={terms.limits}>
                <Text mb="sm">{newJob.limitsText}</Text>
                <SimpleGrid cols={{ base: 1, sm: 2 }}>
                  <NumberField {...field('sample', newJob.sample)} min={1} allowDecimal={false} />
                  <NumberField {...field('maxCredits', newJob.maxCredits)} min={0} />
                </SimpleGrid>
              </Section>
            </>
          )}
          <Estimate choices={values} />
          <FormButtons submit={actions.start} loading={busy} disabled={isUploading} onCancel={() => goBack('jobs')} />
        </Stack>
      </form>
    </>
  );
}

const ESTIMATE = graphql(`
  query Estimate($kind: JobKind!, $modelType: ModelType!, $productIds: [ID!], $uploadedFileIds: [ID!], $rows: Int!) {
    jobEstimate(kind: $kind, modelType: $modelType, productIds: $productIds, uploadedFileIds: $uploadedFileIds, rows: $rows) {
      items credits balance isCovered
    }
  }
`);

/** The maximum cost of the job, and whether the balance covers it. */
function Estimate({ choices }: { choices: Choices }) {
  const { newJob, formats } = useStrings();
  const [{ kind, modelType, productIds, files, names }] = useDebouncedValue(choices, 300);
  const rows = namesOf(names).length;
  const ofProducts = kind.startsWith('product-') && kind !== 'product-category-enrichment';
  const variables = ofProducts
    ? { kind, modelType, productIds, rows: 0 }
    : kind === 'ai-import'
      ? { kind, modelType, uploadedFileIds: files, rows: 0 }
      : { kind, modelType, rows };
  const isEmpty = ofProducts ? productIds.length === 0 : kind === 'ai-import' ? files.length === 0 : rows === 0;
  const [{ data, stale }] = useQuery({ query: ESTIMATE, variables, pause: isEmpty });
  if (isEmpty || !data) return null;
  const { items, credits, balance, isCovered } = data.jobEstimate;
  const text = newJob.estimate(items, formats.number(items), formats.credits(credits), formats.credits(balance));
  return <EstimateNote text={text} isCovered={isCovered} stale={stale} />;
}

import { Alert, Group, Loader, Select, Stack, Text } from '@mantine/core';
import { IconFlask } from '@tabler/icons-react';
import { useState } from 'react';
import type { SetChoicesQuery } from '../../../.graph/graphql.ts';
import { graphql, useAction, useLive, useQuery } from '../../graph/graph-hooks.ts';
import { isOpen, JobStatusBadge } from '../../jobs/job-state.tsx';
import { Action, Note, PageLink } from '../../parts/elements.tsx';
import { Choice, useOptionSearch } from '../../parts/forms-and-dialogs.tsx';
import { Loaded, Section } from '../../parts/page-frame.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { formatValue } from '../../values/format.ts';
import { Confidence, Origin } from '../../values/origin.tsx';

const TRIAL_PRODUCTS = graphql(`
  query TrialProducts($search: String!) { products(search: $search, limit: 20, orderBy: name, sortOrder: asc) { nodes { id name sku } } }
`);
const TRIAL_COST = graphql(`
  query TrialCost($productIds: [ID!]!, $modelType: ModelType!) {
    jobEstimate(kind: "product-enrichment", productIds: $productIds, modelType: $modelType, rows: 0) { credits isCovered }
  }
`);
const START_TRIAL = graphql(`
  mutation StartTrial($input: NewProductEnrichmentJob!) { createProductEnrichmentJob(input: $input) { ...JobSummary } }
`);
const TRIAL = graphql(`
  query Trial($id: ID!) {
    job(id: $id) {
      ...JobSummary sequence
      items(limit: 1) {
        nodes { id status errorMessage enrichedData provenance { slug confidence sourceKind sourceUrl snippet } }
      }
    }
  }
`);
const TRIAL_PROGRESS = graphql(`
  subscription TrialProgress($id: ID!, $after: Int!) { jobProgress(id: $id, after: $after) { sequence job { ...JobSummary } } }
`);
export type Choosable = SetChoicesQuery['attributes'][number];

/** Enriches one product with the attributes of the form, before the set is saved. It fills in only empty values. */
export function Trial({ attributeIds, choices }: { attributeIds: string[]; choices: Choosable[] }) {
  const { attributes, newJob, jobs, pages, terms, formats } = useStrings();
  const [search, searching] = useOptionSearch();
  const [productId, setProductId] = useState<string | null>(null);
  const [modelType, setModelType] = useState<'budget-v1' | 'pro-v1'>('budget-v1');
  const [jobId, setJobId] = useState<string | null>(null);
  const [{ data: found }] = useQuery({ query: TRIAL_PRODUCTS, variables: { search } });
  const [{ data: cost }] = useQuery({
    query: TRIAL_COST,
    variables: { productIds: [productId ?? ''], modelType },
    pause: !productId,
  });
  const [start, isStarting] = useAction(START_TRIAL, {
    after: (data) => setJobId(data.createProductEnrichmentJob.id),
    context: { keep: true },
  });

  function run() {
    if (!productId) return;
    void start({ input: { productIds: [productId], modelType, attributeIds, overwrite: 'empty', websearch: false } });
  }
  return (
    <Section title={attributes.trial}>
      <Stack gap="sm">
        <Text>{attributes.trialText}</Text>
        <Group align="flex-end" gap="sm">
          <Select
            {...searching}
            label={pages.product}
            placeholder={terms.searchProducts}
            data={found?.products.nodes.map(({ id, name, sku }) => ({ value: id, label: `${name} (${sku})` })) ?? []}
            value={productId}
            onChange={setProductId}
            nothingFoundMessage={terms.nothingFound}
            flex="1 1 14rem"
          />
          <Choice label={terms.model} labels={jobs.tiers} value={modelType} onChange={(tier) => setModelType(tier)} w={150} />
          <Action
            label={attributes.tryOut}
            variant="light"
            onClick={run}
            loading={isStarting}
            disabled={!productId || cost?.jobEstimate.isCovered === false}
            icon={IconFlask}
          />
        </Group>
        {cost && productId && (
          <Note role="status">
            {attributes.trialCost(formats.credits(cost.jobEstimate.credits))}
            {!cost.jobEstimate.isCovered && ` ${newJob.notCovered}`}
          </Note>
        )}
        {jobId && <TrialResult key={jobId} jobId={jobId} attributeIds={attributeIds} choices={choices} />}
      </Stack>
    </Section>
  );
}

/** The values that a try-out finds, in the order of the set. */
function TrialResult({ jobId, attributeIds, choices }: { jobId: string; attributeIds: string[]; choices: Choosable[] }) {
  const strings = useStrings();
  const { jobs } = strings;
  const query = useQuery({ query: TRIAL, variables: { id: jobId } });
  useLive(TRIAL_PROGRESS, { id: jobId, after: 0 }, ({ jobProgress: { job } }) => {
    if (!isOpen(job)) query[1]({ requestPolicy: 'network-only' });
  });
  return (
    <Loaded query={query}>
      {({ job }) => {
        const [item] = job.items.nodes;
        const origins = new Map(item?.provenance?.map((origin) => [origin.slug, origin]));
        const shown = attributeIds.flatMap((id) => choices.find((choice) => choice.id === id) ?? []);
        return (
          <Stack gap="sm" role="status">
            <Group gap="sm">
              <JobStatusBadge job={job} />
              {isOpen(job) && <Loader size="xs" />}
              <PageLink to={`jobs/${jobId}`} label={jobs.kinds[job.kind]} />
            </Group>
            {item?.errorMessage && <Alert color="red">{item.errorMessage}</Alert>}
            {item?.enrichedData &&
              shown.map(({ slug, name, type, unit }) => {
                const origin = origins.get(slug);
                return (
                  <Stack key={slug} gap={4}>
                    <Group justify="space-between">
                      <Text fw={500}>{name}</Text>
                      {origin && <Confidence value={origin.confidence} />}
                    </Group>
                    <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                      {formatValue(item.enrichedData?.[slug]?.value, type, strings, { unit })}
                    </Text>
                    {origin && <Origin {...origin} />}
                  </Stack>
                );
              })}
          </Stack>
        );
      }}
    </Loaded>
  );
}

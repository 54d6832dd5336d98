import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconFlask } from '@tabler/icons-react';
import { useState } from 'react';
import { useMutation } from 'urql';
import { useQuery } from '../../graph/use-query.ts';
import { Section } from '../../parts/section.tsx';
import { useFormats, useStrings } from '../../strings/strings.tsx';
import { type Choice, START_TRIAL, TRIAL_COST, TRIAL_PRODUCTS } from './attribute-set.ts';
import { TrialResult } from './trial-result.tsx';

interface Props {
  attributeIds: string[];
  choices: Choice[];
}

/** Enriches one product with the attributes of the form, before the set is saved. It fills in only empty values. */
export function Trial({ attributeIds, choices }: Props) {
  const { attributes, newJob, jobs } = useStrings();
  const formats = useFormats();
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed, 200);
  const [productId, setProductId] = useState<string | null>(null);
  const [modelType, setModelType] = useState<'budget-v1' | 'pro-v1'>('budget-v1');
  const [jobId, setJobId] = useState<string | null>(null);
  const [{ data: found }] = useQuery({ query: TRIAL_PRODUCTS, variables: { search } });
  const [{ data: cost }] = useQuery({
    query: TRIAL_COST,
    variables: { productIds: [productId ?? ''], modelType },
    pause: !productId,
  });
  const [{ fetching }, start] = useMutation(START_TRIAL);

  async function run() {
    if (!productId) return;
    const input = { productIds: [productId], modelType, attributeIds, overwrite: 'empty' as const, websearch: false };
    const { data } = await start({ input }, { keep: true });
    if (data) setJobId(data.createProductEnrichmentJob.id);
  }
  return (
    <Section title={attributes.trial}>
      <Stack gap="sm">
        <Text size="sm">{attributes.trialText}</Text>
        <Group align="flex-end" gap="sm">
          <Select
            label={attributes.trialProduct}
            placeholder={newJob.searchProducts}
            data={found?.products.nodes.map(({ id, name, sku }) => ({ value: id, label: `${name} (${sku})` })) ?? []}
            value={productId}
            onChange={setProductId}
            searchable
            onSearchChange={setTyped}
            filter={({ options }) => options}
            nothingFoundMessage={attributes.nothing}
            flex="1 1 14rem"
          />
          <Select
            label={newJob.tier}
            data={Object.entries(jobs.tiers).map(([value, label]) => ({ value, label }))}
            value={modelType}
            onChange={(tier) => setModelType(tier as typeof modelType)}
            allowDeselect={false}
            w={150}
          />
          <Button
            variant="light"
            onClick={run}
            loading={fetching}
            disabled={!productId || cost?.jobEstimate.isCovered === false}
            leftSection={<IconFlask size={16} aria-hidden />}
          >
            {attributes.tryOut}
          </Button>
        </Group>
        {cost && productId && (
          <Text size="sm" c="dimmed" role="status">
            {attributes.trialCost(formats.credits(cost.jobEstimate.credits))}
            {!cost.jobEstimate.isCovered && ` ${newJob.notCovered}`}
          </Text>
        )}
        {jobId && <TrialResult key={jobId} jobId={jobId} attributeIds={attributeIds} choices={choices} />}
      </Stack>
    </Section>
  );
}

import { Group, Radio, Select, SimpleGrid, Stack, Switch, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'react-router';
import { useClient } from 'urql';
import { graphql } from '../../graph/graphql.ts';
import { useQuery } from '../../graph/use-query.ts';
import { FormButtons } from '../../parts/form-buttons.tsx';
import '../../jobs/summary.ts';
import { NumberField } from '../../parts/number-field.tsx';
import { PageTitle } from '../../parts/page-title.tsx';
import { Section } from '../../parts/section.tsx';
import { useUnsaved } from '../../parts/unsaved.ts';
import { useClosingForm } from '../../parts/use-closing-form.ts';
import { useLeave } from '../../parts/use-leave.ts';
import { useUrlState } from '../../parts/use-url-state.ts';
import { useAddress } from '../../session/organization.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { Estimate } from './estimate.tsx';
import { FileField } from './file-field.tsx';
import { ProductField } from './product-field.tsx';
import { type Choices, type Kind, namesOf, startJob, subjectOf } from './start.ts';

const SETS = graphql(`query JobAttributeSets($subject: AttributeSubject!) { attributeSets(subject: $subject) { id name } }`);
const DEFAULTS = { kind: 'product-enrichment' };
const withProducts: Kind[] = ['product-enrichment', 'product-validation', 'product-market-analysis'];
const withNames: Kind[] = ['brand-enrichment', 'product-category-enrichment'];
const withImages: Kind[] = ['product-enrichment', 'product-validation'];

/** Starts a job of any kind. Products may come from the list by the navigation state. */
export function Page() {
  const { jobs, newJob, pages } = useStrings();
  const client = useClient();
  const { leaveTo, goBack } = useLeave();
  const address = useAddress();
  const [chosen] = useUrlState(DEFAULTS, { kind: Object.keys(jobs.kinds) });
  const location = useLocation() as { state: { productIds?: string[] } | null };
  const [busy, setBusy] = useState(false);
  const [isUploading, setUploading] = useState(false);
  const form = useClosingForm<Choices>({
    initialValues: {
      kind: chosen.kind as Kind,
      productIds: location.state?.productIds ?? [],
      names: '',
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
    },
    validate: {
      productIds: (ids, { kind }) => (withProducts.includes(kind) && ids.length === 0 ? newJob.noProducts : null),
      names: (names, { kind }) => (withNames.includes(kind) && namesOf(names).length === 0 ? newJob.noNames : null),
      files: (files, { kind }) => (kind === 'ai-import' && files.length === 0 ? newJob.noFiles : null),
    },
  });
  const { values, getInputProps, setFieldValue } = form;
  const { kind } = values;
  useUnsaved(form.isDirty());

  async function start() {
    setBusy(true);
    // The shell shows the server's sentence when a mutation fails.
    const id = await startJob(client, values).catch(() => null);
    setBusy(false);
    if (!id) return;
    leaveTo(address(`jobs/${id}`));
  }
  return (
    <>
      <PageTitle title={pages.newJob} />
      <form onSubmit={form.onSubmit(start)}>
        <Stack maw={760}>
          <Select
            label={jobs.kind}
            description={jobs.kindTexts[kind]}
            data={Object.entries(jobs.kinds).map(([value, label]) => ({ value, label }))}
            allowDeselect={false}
            {...getInputProps('kind')}
            onChange={(value) => form.setValues({ kind: value as Kind, attributeSetId: null })}
          />
          {withProducts.includes(kind) && (
            <ProductField
              ids={values.productIds}
              onChange={(ids) => setFieldValue('productIds', ids)}
              error={form.errors.productIds}
            />
          )}
          {withNames.includes(kind) && (
            <Textarea
              label={newJob.names}
              description={newJob.namesText}
              autosize
              minRows={4}
              maxRows={14}
              {...getInputProps('names')}
            />
          )}
          {kind !== 'product-market-analysis' && kind !== 'product-validation' && (
            <FileField
              label={kind === 'ai-import' ? newJob.files : newJob.moreFiles}
              ids={values.files}
              onChange={(ids) => setFieldValue('files', ids)}
              error={form.errors.files}
              isUploading={isUploading}
              onUploading={setUploading}
            />
          )}
          {kind === 'ai-import' && (
            <Textarea label={newJob.prompt} description={newJob.promptText} autosize minRows={2} {...getInputProps('prompt')} />
          )}
          <Radio.Group label={newJob.tier} {...getInputProps('modelType')}>
            <Group mt={4}>
              <Radio value="budget-v1" label={jobs.tiers['budget-v1']} />
              <Radio value="pro-v1" label={jobs.tiers['pro-v1']} />
            </Group>
          </Radio.Group>
          {subjectOf[kind] && <AttributeSetField key={kind} subject={subjectOf[kind]} {...getInputProps('attributeSetId')} />}
          {(kind === 'product-enrichment' || withNames.includes(kind)) && (
            <Switch label={newJob.websearch} {...getInputProps('websearch', { type: 'checkbox' })} />
          )}
          {withImages.includes(kind) && <Switch label={newJob.images} {...getInputProps('extractImages', { type: 'checkbox' })} />}
          {kind === 'ai-import' && <Switch label={newJob.autoEnrich} {...getInputProps('autoEnrich', { type: 'checkbox' })} />}
          {kind === 'product-enrichment' && (
            <>
              <Select
                label={newJob.overwrite}
                data={Object.entries(newJob.overwrites).map(([value, label]) => ({ value, label }))}
                allowDeselect={false}
                {...getInputProps('overwrite')}
              />
              <Section title={newJob.limits}>
                <Text size="sm" mb="sm">
                  {newJob.limitsText}
                </Text>
                <SimpleGrid cols={{ base: 1, sm: 2 }}>
                  <NumberField label={newJob.sample} min={1} allowDecimal={false} {...getInputProps('sample')} />
                  <NumberField label={newJob.maxCredits} min={0} {...getInputProps('maxCredits')} />
                </SimpleGrid>
              </Section>
            </>
          )}
          <Estimate choices={values} />
          <FormButtons submit={newJob.start} loading={busy} disabled={isUploading} onCancel={() => goBack(address('jobs'))} />
        </Stack>
      </form>
    </>
  );
}

interface SetProps {
  subject: 'product' | 'brand' | 'category';
  value?: string | null;
  onChange?(value: string | null): void;
}

function AttributeSetField({ subject, ...field }: SetProps) {
  const { newJob } = useStrings();
  const [{ data }] = useQuery({ query: SETS, variables: { subject } });
  return (
    <Select
      label={newJob.attributeSet}
      placeholder={newJob.allAttributes}
      data={data?.attributeSets.map(({ id, name }) => ({ value: id, label: name })) ?? []}
      clearable
      searchable
      {...field}
    />
  );
}

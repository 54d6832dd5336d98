import { Stack, Switch, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useMutation } from 'urql';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import { uploadFiles } from '../../graph/upload.ts';
import { EstimateNote, TierField } from '../../jobs/job-fields.tsx';
import { FormButtons, useClosingForm } from '../../parts/forms-and-dialogs.tsx';
import '../../jobs/job-state.tsx';
import { useUnsaved } from '../../parts/leaving.ts';
import { PageTitle } from '../../parts/page-frame.tsx';
import { FileDrop, type SendFile, UploadList, useUploads } from '../../parts/uploads.tsx';
import { useGo, useOrganization } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { PROPOSAL, type Proposal } from './column-uses.tsx';
import { type Choices, Columns, mappingOf } from './columns.tsx';

const CREATE = graphql(`
  mutation CreateImport($input: NewAiImportJob!, $mapping: [ImportTableMapping!]) {
    createAiImportJob(input: $input, importMapping: $mapping) { ...JobSummary }
  }
`);
/** The files that an import can read. */
const ACCEPTED = {
  'application/pdf': ['.pdf'],
  'text/csv': ['.csv'],
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': ['.xlsx'],
  'application/vnd.ms-excel': ['.xls'],
  'image/png': ['.png'],
  'image/jpeg': ['.jpg', '.jpeg'],
  'image/webp': ['.webp'],
};
const MAX_FILES = 5;
const MIN_PROMPT = 10;
type Tier = 'budget-v1' | 'pro-v1';

/** Uploads files, and starts the import that extracts products from them. */
export function Page() {
  const { imports, newJob, pages } = useStrings();
  const { leaveTo, goBack } = useGo();
  const { slug } = useOrganization().organization;
  const send: SendFile = async (file, options) => {
    const { ids, problems } = await uploadFiles(slug, [file], options);
    return { id: ids[0], problem: problems[0] };
  };
  const { uploads, add, remove } = useUploads(send);
  const [{ fetching }, create] = useMutation(CREATE);
  const [isTried, setTried] = useState(false);
  const [choices, setChoices] = useState<Choices>(new Map());
  const ids = uploads.flatMap(({ id }) => id ?? []);
  const tables = useTables(ids);
  const mapping = mappingOf(tables, choices);
  const needsModel = useUnmapped(ids, pagesOf(tables, mapping));
  const form = useClosingForm({
    initialValues: { prompt: '', modelType: '' as Tier | '', autoEnrich: false },
    validate: {
      prompt: (prompt) => (needsModel && prompt.trim() && prompt.trim().length < MIN_PROMPT ? imports.shortPrompt : null),
      modelType: (tier, { autoEnrich }) => (tier || !(needsModel || autoEnrich) ? null : newJob.noTier),
    },
  });
  useUnsaved(form.isDirty() || uploads.length > 0);
  const isUploading = uploads.some(({ id, problem }) => !id && !problem);

  async function start({ prompt, modelType, autoEnrich }: typeof form.values) {
    setTried(true);
    if (ids.length === 0) return;
    const { data } = await create({
      input: {
        uploadedFileIds: ids,
        prompt: (needsModel && prompt.trim()) || undefined,
        modelType: modelType || undefined,
        autoEnrich,
      },
      mapping: mapping.length > 0 ? mapping : undefined,
    });
    if (data) leaveTo(`imports/${data.createAiImportJob.id}`, { replace: true });
  }
  return (
    <>
      <PageTitle title={pages.newImport} />
      <form onSubmit={form.onSubmit(start, () => setTried(true))}>
        <Stack maw={760}>
          <FileDrop
            accept={ACCEPTED}
            formats={imports.formats}
            rejected={imports.rejected}
            free={MAX_FILES - uploads.length}
            onFiles={add}
          />
          {isTried && ids.length === 0 && !isUploading && (
            <Text c="var(--mantine-color-red-light-color)" role="alert">
              {imports.noFiles}
            </Text>
          )}
          {uploads.length > 0 && <UploadList uploads={uploads} onRemove={remove} />}
          <Columns
            tables={tables}
            choices={choices}
            onChoose={(key, columns) => setChoices((before) => new Map(before).set(key, columns))}
          />
          {needsModel && (
            <Textarea {...form.field('prompt', newJob.prompt, newJob.promptText)} autosize minRows={2} maxLength={10_000} />
          )}
          {(needsModel || form.values.autoEnrich) && <TierField {...form.getInputProps('modelType')} />}
          <Switch {...form.check('autoEnrich', newJob.autoEnrich)} />
          {ids.length > 0 && (form.values.modelType || !needsModel) && (
            <Cost fileIds={ids} modelType={form.values.modelType || 'budget-v1'} mappedPages={pagesOf(tables, mapping)} />
          )}
          <FormButtons submit={imports.start} loading={fetching} disabled={isUploading} onCancel={() => goBack('imports')} />
        </Stack>
      </form>
    </>
  );
}

const NO_TABLES: Proposal[] = [];

/** The tables of the uploaded files with their proposed columns. Those of before stay while others are read. */
function useTables(files: string[]): readonly Proposal[] {
  const [{ data }] = useQuery({ query: PROPOSAL, variables: { files }, pause: files.length === 0 });
  const tables = data?.proposeImportMapping.filter(({ fileId }) => files.includes(fileId));
  return tables && files.length > 0 ? tables : NO_TABLES;
}

const pagesOf = (tables: readonly Proposal[], mapping: ReturnType<typeof mappingOf>): number =>
  tables
    .filter(({ fileId, sheet }) => mapping.some((each) => each.fileId === fileId && each.sheet === sheet))
    .reduce((sum, { pages }) => sum + pages, 0);

const COST = graphql(`
  query ImportCost($fileIds: [ID!]!, $modelType: ModelType!) {
    jobEstimate(kind: "ai-import", uploadedFileIds: $fileIds, modelType: $modelType) { items credits balance isCovered }
  }
`);

/** Whether a model reads some pages of the files. Without files, it is assumed. */
function useUnmapped(fileIds: string[], mappedPages: number): boolean {
  const [{ data }] = useQuery({ query: COST, variables: { fileIds, modelType: 'budget-v1' }, pause: mappedPages === 0 });
  return mappedPages === 0 || !data || data.jobEstimate.items > mappedPages;
}

interface CostProps {
  fileIds: string[];
  modelType: Tier;
  /** Pages that are read without a model. */
  mappedPages: number;
}

/** The maximum cost of reading the files, and whether the balance covers it. */
function Cost({ mappedPages, ...variables }: CostProps) {
  const { imports, mapping, formats } = useStrings();
  const [{ data, stale }] = useQuery({ query: COST, variables });
  if (!data) return null;
  const { items: all, credits: full, balance, isCovered } = data.jobEstimate;
  const items = all - mappedPages;
  if (items <= 0) return <EstimateNote text={mapping.free} isCovered stale={stale} />;
  const credits = (full / all) * items;
  const text = imports.cost(items, formats.number(items), formats.credits(credits), formats.credits(balance));
  return <EstimateNote text={text} isCovered={isCovered || credits <= balance} stale={stale} />;
}

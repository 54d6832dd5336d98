import { Group, Radio, Stack, Switch, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useMutation } from 'urql';
import { graphql } from '../../graph/graphql.ts';
import { FormButtons } from '../../parts/form-buttons.tsx';
import '../../jobs/summary.ts';
import { PageTitle } from '../../parts/page-title.tsx';
import { useUnsaved } from '../../parts/unsaved.ts';
import { useClosingForm } from '../../parts/use-closing-form.ts';
import { useLeave } from '../../parts/use-leave.ts';
import { useAddress } from '../../session/organization.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { Cost } from './cost.tsx';
import { FileDrop } from './file-drop.tsx';
import { UploadList } from './upload-list.tsx';
import { useUploads } from './use-uploads.ts';

const CREATE = graphql(`
  mutation CreateImport($input: NewAiImportJob!) { createAiImportJob(input: $input) { ...JobSummary } }
`);
const MAX_FILES = 5;
const MIN_PROMPT = 10;

/** Uploads files, and starts the import that extracts products from them. */
export function Page() {
  const { imports, jobs, newJob, pages } = useStrings();
  const { leaveTo, goBack } = useLeave();
  const address = useAddress();
  const { uploads, add, remove } = useUploads();
  const [{ fetching }, create] = useMutation(CREATE);
  const [isTried, setTried] = useState(false);
  const form = useClosingForm({
    initialValues: { prompt: '', modelType: 'pro-v1' as 'budget-v1' | 'pro-v1', autoEnrich: false },
    validate: {
      prompt: (prompt) => (prompt.trim() && prompt.trim().length < MIN_PROMPT ? imports.shortPrompt : null),
    },
  });
  useUnsaved(form.isDirty() || uploads.length > 0);
  const ids = uploads.flatMap(({ id }) => id ?? []);
  const isUploading = uploads.some(({ id, problem }) => !id && !problem);

  async function start({ prompt, modelType, autoEnrich }: typeof form.values) {
    setTried(true);
    if (ids.length === 0) return;
    const { data } = await create({
      input: { uploadedFileIds: ids, prompt: prompt.trim() || undefined, modelType, autoEnrich },
    });
    if (data) leaveTo(address(`imports/${data.createAiImportJob.id}`), { replace: true });
  }
  return (
    <>
      <PageTitle title={pages.newImport} />
      <form onSubmit={form.onSubmit(start)}>
        <Stack maw={760}>
          <FileDrop free={MAX_FILES - uploads.length} onFiles={add} />
          {isTried && ids.length === 0 && !isUploading && (
            <Text size="sm" c="var(--mantine-color-red-light-color)" role="alert">
              {imports.noFiles}
            </Text>
          )}
          {uploads.length > 0 && <UploadList uploads={uploads} onRemove={remove} />}
          <Textarea
            label={newJob.prompt}
            description={newJob.promptText}
            autosize
            minRows={2}
            maxLength={10_000}
            {...form.getInputProps('prompt')}
          />
          <Radio.Group label={newJob.tier} {...form.getInputProps('modelType')}>
            <Group mt={4}>
              <Radio value="budget-v1" label={jobs.tiers['budget-v1']} />
              <Radio value="pro-v1" label={jobs.tiers['pro-v1']} />
            </Group>
          </Radio.Group>
          <Switch label={newJob.autoEnrich} {...form.getInputProps('autoEnrich', { type: 'checkbox' })} />
          {ids.length > 0 && <Cost fileIds={ids} modelType={form.values.modelType} />}
          <FormButtons
            submit={imports.start}
            loading={fetching}
            disabled={isUploading}
            onCancel={() => goBack(address('imports'))}
          />
        </Stack>
      </form>
    </>
  );
}

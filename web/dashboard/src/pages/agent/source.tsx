import { Progress as Bar, Fieldset, Group, SegmentedControl, Stack, TextInput, Tooltip } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useClient } from 'urql';
import type { NewSource, SourceProgressSubscription, SourcesQuery } from '../../../.graph/graphql.ts';
import { graphql, useAction, useLive } from '../../graph/graph-hooks.ts';
import { Action, Note, SmallAction, Tag } from '../../parts/elements.tsx';
import { Choice, FormDialog, type FormOf, LongText, useClosingForm } from '../../parts/forms-and-dialogs.tsx';
import { useStrings } from '../../strings/strings.tsx';

export const SOURCES = graphql(`
  query Sources($agentId: ID!) {
    sources(agentId: $agentId) {
      id type name url status error pageCount failedPageCount pageTotal chunkCount suspiciousCount refreshInterval lastIndexedAt
      file { name bytes }
    }
  }
`);

const SOURCE_PROGRESS = graphql(`
  subscription SourceProgress($id: ID!, $after: Int! = 0) {
    sourceProgress(id: $id, after: $after) {
      sourceId sequence status error pageCount failedPageCount pageTotal stagedCount embeddedCount chunkCount
    }
  }
`);

/** Reads the list of sources again. */
export function useSourcesAgain(agentId: string): () => void {
  const client = useClient();
  return () => void client.query(SOURCES, { agentId }, { requestPolicy: 'network-only' }).toPromise();
}

export type Source = SourcesQuery['sources'][number];

const colors = {
  queued: 'gray',
  crawling: 'indigo',
  chunking: 'indigo',
  embedding: 'indigo',
  ready: 'teal',
  failed: 'red',
} as const;

/** The state of a source, live while it is ingested. */
export const Status = ({ source, agentId }: { source: Source; agentId: string }) =>
  isRunning(source) ? <LiveStatus source={source} agentId={agentId} /> : <State status={source.status} error={source.error} />;

function LiveStatus({ source, agentId }: { source: Source; agentId: string }) {
  const { agents, terms, formats } = useStrings();
  const progress = useProgress(source, agentId);
  const status = progress?.status ?? source.status;
  const [done, total] = progress ? stepsOf(progress) : [0, 0];
  return (
    <Group gap="xs" wrap="nowrap">
      <State status={status} error={progress?.error} />
      {total > 0 && status !== 'ready' && (
        <>
          <Bar value={(done / total) * 100} w={80} aria-label={terms.progress} animated />
          <Note size="xs">{agents.of(formats.number(done), formats.number(total))}</Note>
        </>
      )}
    </Group>
  );
}

/** Finished and total units of the running step. */
const stepsOf = (progress: Progress): [number, number] =>
  progress.status === 'crawling'
    ? [progress.pageCount + progress.failedPageCount, progress.pageTotal]
    : [progress.embeddedCount, progress.stagedCount];

function State({ status, error }: { status: Source['status']; error?: string | null }) {
  const { agents } = useStrings();
  const badge = <Tag label={agents.sourceStates[status]} color={colors[status]} miw="fit-content" />;
  if (!error) return badge;
  return (
    <Tooltip label={error} multiline maw={360} events={{ hover: true, focus: true, touch: true }}>
      {badge}
    </Tooltip>
  );
}

type Progress = SourceProgressSubscription['sourceProgress'];

const isRunning = ({ status }: Pick<Source, 'status'>): boolean => status !== 'ready' && status !== 'failed';

/** Follow the ingestion of a source. The end of it reads the list of sources again. */
function useProgress(source: Source, agentId: string): Progress | undefined {
  const readAgain = useSourcesAgain(agentId);
  const [progress, setProgress] = useState<Progress>();
  useLive(SOURCE_PROGRESS, { id: source.id }, ({ sourceProgress }) => {
    setProgress(sourceProgress);
    if (!isRunning(sourceProgress)) readAgain();
  });
  return progress;
}

/** The files that can be sources. */
export const DOCUMENTS = {
  'application/pdf': ['.pdf'],
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': ['.docx'],
  'text/markdown': ['.md', '.markdown'],
  'text/plain': ['.txt', '.text'],
  'text/html': ['.html', '.htm'],
};

const CREATE_SOURCE = graphql(
  `mutation CreateSource($agentId: ID!, $input: NewSource!) { createSource(agentId: $agentId, input: $input) { id status } }`,
);

interface Props {
  agentId: string;
  type?: SourceValues['type'];
  /** The question to answer, for the type `qa`. */
  question?: string;
  onClose(): void;
  /** Called before `onClose` once the source is made. */
  onDone?(): void;
}
const types: SourceValues['type'][] = ['url', 'text', 'qa'];

/** Adds a source of any type. */
export function AddSource({ agentId, type = 'url', question = '', onClose, onDone }: Props) {
  const { agents, terms, actions } = useStrings();
  const [create] = useAction(CREATE_SOURCE, {
    after() {
      onDone?.();
      onClose();
    },
  });
  const isBlank = (value: string) => value.trim() === '';
  const form = useClosingForm<SourceValues>({
    initialValues: {
      type,
      name: question.slice(0, 255),
      url: '',
      text: '',
      qa: [{ question, answer: '' }],
      refreshInterval: 'weekly',
    },
    validate: {
      name: (name) => (isBlank(name) ? terms.required : null),
      url: (url, values) => (values.type === 'url' && !URL.canParse(url) ? agents.wrongUrl : null),
      text: (text, values) => (values.type === 'text' && isBlank(text) ? terms.required : null),
      qa: {
        question: (text, values) => (values.type === 'qa' && isBlank(text) ? terms.required : null),
        answer: (text, values) => (values.type === 'qa' && isBlank(text) ? terms.required : null),
      },
    },
  });
  const { type: kind } = form.values;

  function submit({ type: chosen, name, url, text, qa, refreshInterval }: SourceValues) {
    const content = { url: { url, refreshInterval }, text: { text }, qa: { qa } }[chosen];
    return create({ agentId, input: { type: chosen, name, ...content } as NewSource });
  }
  return (
    <FormDialog guarded onClose={onClose} size="lg" title={agents.addSource} form={form} onSubmit={submit} submit={actions.add}>
      <SegmentedControl
        fullWidth
        aria-label={terms.type}
        data={types.map((value) => ({ value, label: agents.sourceTypes[value] }))}
        {...form.getInputProps('type')}
      />
      <TextInput {...form.field('name', terms.name)} maxLength={255} data-autofocus />
      {kind === 'url' && (
        <>
          <TextInput
            {...form.field('url', terms.address, agents.urlHelp)}
            placeholder="https://shop.example.com/help"
            maxLength={2_048}
            inputMode="url"
          />
          <Choice {...form.field('refreshInterval', agents.refreshInterval, agents.refreshHelp)} labels={agents.intervals} />
        </>
      )}
      {kind === 'text' && <LongText {...form.field('text', terms.text, agents.textHelp)} rows={[8, 20]} maxLength={1_000_000} />}
      {kind === 'qa' && <Questions form={form} />}
    </FormDialog>
  );
}

/** The questions and answers of a new source. */
function Questions({ form }: { form: FormOf<SourceValues> }) {
  const { agents, actions } = useStrings();
  const { qa } = form.values;
  return (
    <Stack>
      {qa.map((_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the values are in the form, which numbers them.
        <Fieldset key={index} legend={agents.numbered(index + 1)}>
          <Stack gap="xs">
            <TextInput {...form.field(`qa.${index}.question`, agents.question)} maxLength={2_000} />
            <LongText {...form.field(`qa.${index}.answer`, agents.answer)} rows={[2, 10]} maxLength={20_000} />
            {qa.length > 1 && (
              <SmallAction
                label={actions.remove}
                variant="subtle"
                color="red"
                w="fit-content"
                onClick={() => form.removeListItem('qa', index)}
              />
            )}
          </Stack>
        </Fieldset>
      ))}
      <Action
        label={agents.addQuestion}
        variant="light"
        w="fit-content"
        disabled={qa.length >= 1_000}
        icon={IconPlus}
        onClick={() => form.insertListItem('qa', { question: '', answer: '' })}
      />
    </Stack>
  );
}

/** The values of the form for a new source. */
interface SourceValues {
  type: 'url' | 'text' | 'qa';
  name: string;
  url: string;
  text: string;
  qa: { question: string; answer: string }[];
  refreshInterval: string;
}

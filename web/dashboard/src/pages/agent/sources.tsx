import { Box, Group, Highlight, Paper, Stack, Text, TextInput, Tooltip, UnstyledButton } from '@mantine/core';
import { Dropzone } from '@mantine/dropzone';
import {
  IconAlertTriangle,
  IconBooks,
  IconFile,
  IconFileText,
  IconHelpCircle,
  IconPlus,
  IconUpload,
  IconWorld,
} from '@tabler/icons-react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { TestRetrievalQuery } from '../../../.graph/graphql.ts';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import { uploadDocument } from '../../graph/upload.ts';
import { allRows, type Column, DataTable } from '../../parts/data-table.tsx';
import { Action, Note, Tag } from '../../parts/elements.tsx';
import { Drawer, Modal, typed } from '../../parts/forms-and-dialogs.tsx';
import { showProblem } from '../../parts/overlays.tsx';
import { Empty, Loaded } from '../../parts/page-frame.tsx';
import { FileDrop, type SendFile, UploadList, useUploads } from '../../parts/uploads.tsx';
import { useOrganization } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';
import type { TabProps } from './agent-documents.ts';
import { AddSource, DOCUMENTS, SOURCES, type Source, Status, useSourcesAgain } from './source.tsx';
import { SourceDrawer } from './source-drawer.tsx';

const icons = { url: IconWorld, text: IconFileText, qa: IconHelpCircle, file: IconFile };
const kindOf = ({ type, file }: Source) => (file ? 'file' : type) as keyof typeof icons;

/** The sources from which the agent answers. */
export function Tab({ agent }: TabProps) {
  const { agents, terms, pages, formats } = useStrings();
  const query = useQuery({ query: SOURCES, variables: { agentId: agent.id } });
  const [opened, setOpened] = useState<string>();
  const [dialog, setDialog] = useState<'add' | 'test' | 'files'>();
  const [dropped, setDropped] = useState<File[]>([]);
  const columns: Column<Source>[] = [
    {
      key: 'name',
      title: terms.name,
      cell: (source) => {
        const { id, name } = source;
        const Icon = icons[kindOf(source)];
        return (
          <UnstyledButton onClick={() => setOpened(id)} c="var(--mantine-color-anchor)">
            <Group gap="xs" wrap="nowrap" component="span">
              <Icon size={16} aria-label={agents.sourceTypes[kindOf(source)]} />
              <Text span truncate>
                {name}
              </Text>
            </Group>
          </UnstyledButton>
        );
      },
    },
    { key: 'status', title: terms.state, width: 250, cell: (source) => <Status source={source} agentId={agent.id} /> },
    {
      key: 'pages',
      title: pages.pages,
      width: 110,
      align: 'right',
      from: 'md',
      cell: ({ type, pageCount, failedPageCount }) => (
        <Text c={failedPageCount > 0 ? 'red' : undefined}>
          {type === 'url'
            ? agents.of(formats.number(pageCount), formats.number(pageCount + failedPageCount))
            : pageCount > 0
              ? formats.number(pageCount)
              : '–'}
        </Text>
      ),
    },
    {
      key: 'passages',
      title: agents.passages,
      width: 110,
      align: 'right',
      from: 'sm',
      cell: ({ chunkCount, suspiciousCount }) => (
        <Group gap={4} justify="flex-end" wrap="nowrap">
          {suspiciousCount > 0 && (
            <Tooltip label={agents.suspiciousPassages(suspiciousCount)} events={{ hover: true, focus: true, touch: true }}>
              <IconAlertTriangle
                size={16}
                color="var(--mantine-color-orange-text)"
                role="img"
                aria-label={agents.suspiciousPassages(suspiciousCount)}
              />
            </Tooltip>
          )}
          {formats.number(chunkCount)}
        </Group>
      ),
    },
    {
      key: 'indexed',
      title: agents.indexed,
      width: 150,
      from: 'md',
      cell: ({ lastIndexedAt }) => lastIndexedAt && formats.ago(lastIndexedAt),
    },
  ];
  const openFiles = (files: File[]) => {
    setDropped(files);
    setDialog('files');
  };
  const add = (
    <Group gap="xs">
      <Action label={agents.uploadFiles} variant="default" icon={IconUpload} onClick={() => openFiles([])} />
      <Action label={agents.addSource} icon={IconPlus} onClick={() => setDialog('add')} />
    </Group>
  );
  return (
    <Loaded query={query}>
      {({ sources }) => {
        const source = sources.find(({ id }) => id === opened);
        return (
          <>
            {sources.length > 0 && (
              <Group justify="flex-end" mb="sm" gap="xs">
                <Action label={agents.testRetrieval} variant="default" onClick={() => setDialog('test')} />
                {add}
              </Group>
            )}
            <DataTable
              label={agents.tabs.sources}
              columns={columns}
              rows={allRows(sources)}
              empty={{ icon: IconBooks, title: agents.noSources, text: agents.noSourcesText, action: add }}
            />
            {!dialog && !source && <DropAnywhere onFiles={openFiles} />}
            {dialog === 'files' && <AddFiles agentId={agent.id} files={dropped} onClose={() => setDialog(undefined)} />}
            {dialog === 'add' && <AddSource agentId={agent.id} onClose={() => setDialog(undefined)} />}
            {dialog === 'test' && <Retrieval agentId={agent.id} onClose={() => setDialog(undefined)} />}
            {source && <SourceDrawer source={source} agentId={agent.id} onClose={() => setOpened(undefined)} />}
          </>
        );
      }}
    </Loaded>
  );
}

const RETRIEVAL = graphql(`
  query TestRetrieval($agentId: ID!, $question: String!) {
    testRetrieval(agentId: $agentId, question: $question) {
      tokens maxRetrievalTokens
      passages { id url title page headings text tokens suspicious score wordRank words vectorRank similarity included source { id name } }
    }
  }
`);

/** The passages that a question finds, and why. */
function Retrieval({ agentId, onClose }: { agentId: string; onClose(): void }) {
  const { agents } = useStrings();
  const [question, setQuestion] = useState('');
  const [asked, setAsked] = useState('');

  function submit(event: FormEvent) {
    event.preventDefault();
    setAsked(question.trim());
  }
  return (
    <Drawer onClose={onClose} size="xl" title={agents.testRetrieval}>
      <Stack>
        <form onSubmit={submit}>
          <Group align="flex-end" gap="xs" wrap="nowrap">
            <TextInput {...typed(question, setQuestion)} flex={1} label={agents.question} maxLength={4_000} data-autofocus />
            <Action label={agents.test} type="submit" disabled={question.trim() === ''} />
          </Group>
        </form>
        {asked ? <Passages key={asked} agentId={agentId} question={asked} /> : <Text>{agents.retrievalText}</Text>}
      </Stack>
    </Drawer>
  );
}

function Passages({ agentId, question }: { agentId: string; question: string }) {
  const { agents, terms, formats } = useStrings();
  const query = useQuery({ query: RETRIEVAL, variables: { agentId, question }, requestPolicy: 'network-only' });
  return (
    <Loaded query={query}>
      {({ testRetrieval: { passages, tokens, maxRetrievalTokens } }) =>
        passages.length === 0 ? (
          <Empty title={terms.nothingFound} text={agents.nothingFoundText} />
        ) : (
          <Stack gap="sm">
            <Note>
              {agents.retrieved(
                passages.filter(({ included }) => included).length,
                formats.number(tokens),
                formats.number(maxRetrievalTokens),
              )}
            </Note>
            {passages.map((passage, index) => (
              <Passage key={passage.id} passage={passage} place={index + 1} />
            ))}
          </Stack>
        )
      }
    </Loaded>
  );
}

/** Characters of the shortest word to mark. Shorter stems are in most words. */
const SHORTEST = 3;

type Found = TestRetrievalQuery['testRetrieval']['passages'][number];

/** A passage, with the shared words marked and the reasons of its place. */
function Passage({ passage, place }: { passage: Found; place: number }) {
  const { agents, formats } = useStrings();
  const { source, title, page, headings, text, tokens, words, wordRank, vectorRank, similarity, included, suspicious } = passage;
  const name = page ? `${source.name}, ${agents.pageNumber(page)}` : (title ?? source.name);
  return (
    <Paper withBorder p="sm" component="article" aria-label={`${place}. ${name}`}>
      <Group justify="space-between" wrap="nowrap" mb={4}>
        <Text fw={600} truncate>
          {place}. {[name, ...headings].join(' › ')}
        </Text>
        {suspicious && <Tag label={agents.suspicious} color="orange" miw="fit-content" />}
        <Tag label={included ? agents.included : agents.notIncluded} color={included ? 'teal' : 'gray'} miw="fit-content" />
      </Group>
      <Box mah={170} tabIndex={0} style={{ overflow: 'auto' }}>
        <Highlight
          size="sm"
          highlight={words.filter(({ length }) => length >= SHORTEST)}
          style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
        >
          {text}
        </Highlight>
      </Box>
      <Note size="xs" mt={4}>
        {[
          wordRank !== null && wordRank !== undefined && agents.byWords(wordRank, words.join(', ')),
          vectorRank !== null && vectorRank !== undefined && agents.byMeaning(vectorRank),
          similarity !== null && similarity !== undefined && agents.similarity(formats.percent(similarity)),
          agents.tokens(formats.number(tokens)),
        ]
          .filter(Boolean)
          .join(' · ')}
      </Note>
    </Paper>
  );
}

/** Files that upload at the same time in one visit of the dialog. */
const MAX_FILES = 50;

interface Props {
  agentId: string;
  /** The files that were dropped on the page. */
  files: File[];
  onClose(): void;
}

/** Makes a source of each file, as soon as it is chosen. Closing the dialog cancels open uploads. */
function AddFiles({ agentId, files, onClose }: Props) {
  const { actions, agents } = useStrings();
  const { slug } = useOrganization().organization;
  const readAgain = useSourcesAgain(agentId);
  const send: SendFile = async (file, options) => {
    const id = await uploadDocument({ organization: slug, agentId, path: 'source-files' }, file, options);
    readAgain();
    return { id };
  };
  const { uploads, add, remove } = useUploads(send);
  const dropped = useRef(files);
  useEffect(() => {
    add(dropped.current);
    dropped.current = [];
  });
  return (
    <Modal onClose={onClose} size="lg" title={agents.uploadFiles}>
      <Stack>
        <FileDrop
          accept={DOCUMENTS}
          formats={agents.fileFormats}
          rejected={agents.rejectedFiles}
          free={MAX_FILES - uploads.length}
          onFiles={add}
        />
        {uploads.length > 0 && <UploadList uploads={uploads} onRemove={remove} />}
        <Group justify="flex-end">
          <Action label={actions.close} variant="default" onClick={onClose} />
        </Group>
      </Stack>
    </Modal>
  );
}

/** Takes files that are dropped anywhere on the page. */
function DropAnywhere({ onFiles }: { onFiles(files: File[]): void }) {
  const { agents } = useStrings();
  return (
    <Dropzone.FullScreen
      withinPortal={false}
      accept={DOCUMENTS}
      inputProps={{ 'aria-hidden': true }}
      onDrop={onFiles}
      onReject={(files) => showProblem(agents.rejectedFiles(files.map(({ file }) => file.name).join(', ')))}
    >
      <Group justify="center" mih="60vh" style={{ pointerEvents: 'none' }}>
        <Text size="xl">{agents.dropFiles}</Text>
      </Group>
    </Dropzone.FullScreen>
  );
}

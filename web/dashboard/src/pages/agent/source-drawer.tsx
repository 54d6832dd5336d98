import { Alert, FileButton, Group, List, Paper, Stack, Text } from '@mantine/core';
import { IconDownload, IconFileUpload, IconRefresh, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useMutation } from 'urql';
import type { SourcePagesQuery, UpdateSourceMutationVariables } from '../../../.graph/graphql.ts';
import { graphql, useAction, useButton, useQuery } from '../../graph/graph-hooks.ts';
import { uploadDocument } from '../../graph/upload.ts';
import { usePages } from '../../graph/use-pages.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Note, SmallAction, Tag, WebLink } from '../../parts/elements.tsx';
import { Choice, Drawer, Segments } from '../../parts/forms-and-dialogs.tsx';
import { showDone, showProblem } from '../../parts/overlays.tsx';
import { Loaded } from '../../parts/page-frame.tsx';
import { useOrganization } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { DOCUMENTS, type Source, Status, useSourcesAgain } from './source.tsx';

const UPDATE_SOURCE = graphql(
  `mutation UpdateSource($id: ID!, $input: SourceChange!) { updateSource(id: $id, input: $input) { id name refreshInterval } }`,
);
const REFRESH_SOURCE = graphql(`mutation RefreshSource($id: ID!) { refreshSource(id: $id) { id status } }`);
const DELETE_SOURCE = graphql(`mutation DeleteSource($id: ID!) { deleteSource(id: $id) { id } }`);

/** One source: its state, its pages or its text, and what can be done with it. */
export function SourceDrawer({ source, agentId, onClose }: { source: Source; agentId: string; onClose(): void }) {
  const { agents, actions, formats } = useStrings();
  const refresh = useButton(REFRESH_SOURCE);
  const [, update] = useMutation(UPDATE_SOURCE);
  const { id, name, type, url, file, status, error, refreshInterval, lastIndexedAt, suspiciousCount } = source;

  const ask = { title: actions.deleteTitle(name), text: agents.deleteSourceText, action: actions.delete };
  const [remove] = useAction(DELETE_SOURCE, { ask });
  return (
    <Drawer
      onClose={onClose}
      size="xl"
      title={name}
      styles={{ body: { display: 'flex', flexDirection: 'column', height: 'calc(100dvh - 70px)' } }}
    >
      <Stack gap="sm" mb="md">
        <Group justify="space-between">
          <Status source={source} agentId={agentId} />
          <Group gap="xs">
            <SmallAction label={agents.readAgain} icon={IconRefresh} {...refresh({ id })} />
            <SmallAction label={actions.delete} variant="light" color="red" icon={IconTrash} onClick={() => remove({ id })} />
          </Group>
        </Group>
        {status === 'failed' && error && <Alert color="red">{error}</Alert>}
        {suspiciousCount > 0 && (
          <Alert color="orange" title={agents.suspiciousPassages(suspiciousCount)}>
            <Text>{agents.suspiciousText}</Text>
            <SuspiciousPassages sourceId={id} />
          </Alert>
        )}
        {url && <WebLink url={url} style={{ overflowWrap: 'anywhere' }} />}
        {file && <SourceFile source={source} file={file} agentId={agentId} />}
        {lastIndexedAt && (
          <Note>
            {agents.indexed}: {formats.time(lastIndexedAt)}
          </Note>
        )}
        {type === 'url' && (
          <Choice
            label={agents.refreshInterval}
            maw={240}
            value={refreshInterval}
            labels={agents.intervals}
            onChange={(value) =>
              update({ id, input: { refreshInterval: value as UpdateSourceMutationVariables['input']['refreshInterval'] } })
            }
          />
        )}
      </Stack>
      {type === 'url' ? <SourcePages key={`${id} ${status}`} sourceId={id} /> : <SourceContent sourceId={id} />}
    </Drawer>
  );
}

const SUSPICIOUS_PASSAGES = graphql(
  `query SuspiciousPassages($id: ID!) { source(id: $id) { id suspiciousPassages { id url title page text } } }`,
);

/** The passages that read like instructions, with their pages. */
function SuspiciousPassages({ sourceId }: { sourceId: string }) {
  const { agents } = useStrings();
  const query = useQuery({ query: SUSPICIOUS_PASSAGES, variables: { id: sourceId } });
  return (
    <Loaded query={query}>
      {({ source: { suspiciousPassages } }) => (
        <List size="sm" spacing="xs" mt="xs" mah={180} style={{ overflow: 'auto' }} tabIndex={0}>
          {suspiciousPassages.map(({ id, url, title, page, text }) => (
            <List.Item key={id} style={{ overflowWrap: 'anywhere' }}>
              {url && <WebLink url={url} label={title || url} />}
              {page && <Note size="xs">{agents.pageNumber(page)}</Note>}
              <Text lineClamp={3}>{text}</Text>
            </List.Item>
          ))}
        </List>
      )}
    </Loaded>
  );
}

const SOURCE_PAGES = graphql(`
  query SourcePages($sourceId: ID!, $status: SourcePageStatus, $page: Int!, $limit: Int!) {
    sourcePages(sourceId: $sourceId, status: $status, page: $page, limit: $limit) {
      nodes { id url status error title lastSeenAt }
      pagination { total }
    }
  }
`);

type Row = SourcePagesQuery['sourcePages']['nodes'][number];
const colors = { pending: 'gray', read: 'teal', unchanged: 'teal', failed: 'red' } as const;

/** The pages of a website, with the reason of each failure. */
function SourcePages({ sourceId }: { sourceId: string }) {
  const { agents, terms, pages, formats } = useStrings();
  const [status, setStatus] = useState<Row['status'] | ''>('');
  const rows = usePages(SOURCE_PAGES, { sourceId, status: status || null }, ({ sourcePages }) => sourcePages);
  const columns: Column<Row>[] = [
    {
      key: 'url',
      title: agents.page,
      cell: ({ url, title, error }) => (
        <>
          <WebLink url={url} label={title || url} title={url} />
          {error && (
            <Text size="xs" c="red" title={error} truncate>
              {error}
            </Text>
          )}
        </>
      ),
    },
    {
      key: 'status',
      title: terms.state,
      width: 130,
      cell: (page) => <Tag label={agents.pageStates[page.status]} color={colors[page.status]} />,
    },
    {
      key: 'seen',
      title: agents.lastRead,
      width: 140,
      from: 'sm',
      cell: ({ lastSeenAt }) => lastSeenAt && formats.ago(lastSeenAt),
    },
  ];
  return (
    <>
      <Segments
        mb="sm"
        size="xs"
        aria-label={terms.state}
        value={status}
        onChange={setStatus}
        labels={{ '': terms.all, ...agents.pageStates }}
      />
      <div style={{ flex: 1, minHeight: 0 }}>
        <DataTable label={pages.pages} columns={columns} rows={rows} empty={{ title: agents.noPages }} />
      </div>
    </>
  );
}

const SOURCE_CONTENT = graphql(`query SourceContent($id: ID!) { source(id: $id) { id text qa { question answer } } }`);

/** The text, or the questions and answers, of a source. */
function SourceContent({ sourceId }: { sourceId: string }) {
  const query = useQuery({ query: SOURCE_CONTENT, variables: { id: sourceId } });
  return (
    <Loaded query={query}>
      {({ source: { text, qa } }) => (
        <Stack style={{ overflow: 'auto' }} tabIndex={0}>
          {text != null && <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{text}</Text>}
          {qa && (
            <List listStyleType="none" spacing="sm">
              {qa.map(({ question, answer }) => (
                <List.Item key={question}>
                  <Paper withBorder p="sm">
                    <Text fw={600}>{question}</Text>
                    <Text style={{ whiteSpace: 'pre-wrap' }}>{answer}</Text>
                  </Paper>
                </List.Item>
              ))}
            </List>
          )}
        </Stack>
      )}
    </Loaded>
  );
}

/** The file of a source, to download it or to replace it by a newer version. */
function SourceFile({ source: { id }, file, agentId }: { source: Source; file: NonNullable<Source['file']>; agentId: string }) {
  const { agents, formats } = useStrings();
  const { slug } = useOrganization().organization;
  const readAgain = useSourcesAgain(agentId);
  const [isSending, setSending] = useState(false);

  async function replace(newer: File | null) {
    if (!newer) return;
    setSending(true);
    try {
      await uploadDocument({ organization: slug, agentId, path: `sources/${id}/file` }, newer);
      showDone(agents.replaced);
    } catch (failure) {
      showProblem((failure as Error).message);
    }
    setSending(false);
    readAgain();
  }
  return (
    <Group gap="xs">
      <Text style={{ overflowWrap: 'anywhere' }}>
        {file.name} · {formats.bytes(file.bytes)}
      </Text>
      <SmallAction
        component="a"
        href={`/api/${slug}/agents/${agentId}/sources/${id}/file`}
        download
        label={agents.downloadFile}
        icon={IconDownload}
      />
      <FileButton
        accept={Object.values(DOCUMENTS).flat().join(',')}
        onChange={replace}
        inputProps={{ 'aria-label': agents.replaceFile }}
      >
        {({ onClick }) => <SmallAction label={agents.replaceFile} loading={isSending} icon={IconFileUpload} onClick={onClick} />}
      </FileButton>
    </Group>
  );
}

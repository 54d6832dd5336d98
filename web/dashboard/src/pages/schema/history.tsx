import { Box, Code, Group, List, Stack, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { PublishedSchemasQuery } from '../../../.graph/graphql.ts';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import { allRows, type Column, DataTable } from '../../parts/data-table.tsx';
import { Action, Note, Tag } from '../../parts/elements.tsx';
import { Choice, Modal } from '../../parts/forms-and-dialogs.tsx';
import { Empty, Loaded } from '../../parts/page-frame.tsx';
import { useStrings } from '../../strings/strings.tsx';

const PUBLISHED = graphql(`query PublishedSchemas {
  publishedSchemas(limit: 50) {
    nodes { version author publishedAt restored verdict report subgraphs { name url } }
  }
}`);

type Row = PublishedSchemasQuery['publishedSchemas']['nodes'][number] & { id: string };

/** The published versions, and what two of them differ in. */
export function History() {
  const { schema } = useStrings();
  const query = useQuery({ query: PUBLISHED });
  return (
    <Loaded query={query}>
      {({ publishedSchemas: { nodes } }) =>
        nodes.length === 0 ? (
          <Empty title={schema.nothingPublished} text={schema.nothingPublishedText} />
        ) : (
          <Versions rows={nodes.map((node) => ({ ...node, id: String(node.version) }))} />
        )
      }
    </Loaded>
  );
}

function Versions({ rows }: { rows: Row[] }) {
  const { schema, terms } = useStrings();
  const [opened, open] = useState<Row>();
  const [isComparing, compare] = useState(false);
  const columns = useColumns(open);
  const versions = rows.map(({ id }) => id);
  const [before, setBefore] = useState(versions[1] ?? versions[0]!);
  const [after, setAfter] = useState(versions[0]!);
  const choice = (label: string, value: string, set: (value: string) => void) => (
    <Choice
      label={label}
      value={value}
      w={130}
      onChange={set}
      data={versions.map((version) => ({ value: version, label: schema.numbered(version) }))}
    />
  );
  return (
    <>
      <Group mb="sm" align="end">
        {choice(terms.before, before, setBefore)}
        {choice(schema.after, after, setAfter)}
        <Action label={schema.compare} disabled={before === after} onClick={() => compare(true)} />
      </Group>
      <DataTable
        minHeight={240}
        label={schema.history}
        columns={columns}
        rows={allRows(rows)}
        fixed
        minWidth={820}
        empty={{ title: schema.nothingPublished }}
      />
      {opened && <Details row={opened} onClose={() => open(undefined)} />}
      {isComparing && <Differences from={Number(before)} to={Number(after)} onClose={() => compare(false)} />}
    </>
  );
}

const colors: Record<string, string> = { safe: 'green', breaks: 'red', unknown: 'gray' };

function useColumns(open: (row: Row) => void): Column<Row>[] {
  const { schema, terms, formats } = useStrings();
  return useMemo(
    () => [
      {
        key: 'version',
        title: terms.version,
        width: 130,
        cell: (row) => <Action variant="subtle" size="compact-sm" label={schema.numbered(row.id)} onClick={() => open(row)} />,
      },
      {
        key: 'author',
        title: schema.author,
        cell: ({ author, restored }) => (
          <Text truncate title={author}>
            {author}
            {restored !== null && (
              <Text span c="dimmed">
                {` · ${schema.restored(String(restored))}`}
              </Text>
            )}
          </Text>
        ),
      },
      { key: 'published', title: schema.published, width: 190, cell: ({ publishedAt }) => formats.time(publishedAt) },
      {
        key: 'verdict',
        title: schema.check,
        width: 170,
        cell: ({ verdict }) => (
          <Tag label={schema.verdicts[verdict as keyof typeof schema.verdicts] ?? verdict} color={colors[verdict]} />
        ),
      },
      {
        key: 'subgraphs',
        title: schema.subgraphs,
        width: 220,
        cell: ({ subgraphs }) => {
          const names = subgraphs.map(({ name }) => name).join(', ');
          return (
            <Text truncate title={names}>
              {names}
            </Text>
          );
        },
      },
    ],
    [formats, open, schema, terms],
  );
}

/** The check and the subgraphs of a version. */
function Details({ row, onClose }: { row: Row; onClose(): void }) {
  const { schema } = useStrings();
  return (
    <Modal onClose={onClose} size="lg" title={schema.versionOf(row.id, row.author)}>
      <Stack>
        {row.subgraphs.length > 0 ? (
          <Stack gap={4}>
            {row.subgraphs.map(({ name, url }) => (
              <Text key={name} style={{ overflowWrap: 'anywhere' }}>
                {name}{' '}
                <Text span c="dimmed">
                  {url}
                </Text>
              </Text>
            ))}
          </Stack>
        ) : (
          <Note>{schema.noSubgraphs}</Note>
        )}
        <Code block style={{ whiteSpace: 'pre-wrap' }}>
          {row.report}
        </Code>
      </Stack>
    </Modal>
  );
}

const DIFF = graphql(`query SchemaDiff($from: Int!, $to: Int!) {
  schemaDiff(from: $from, to: $to) { text others changes { coordinate message isBreaking } }
}`);

/** Changes that are listed. A longer list hides the text below it. */
const MAX_CHANGES = 200;
/** Lines that are rendered. */
const MAX_LINES = 2_000;

interface Props {
  from: number;
  to: number;
  onClose(): void;
}

/** The changes between two published versions, and their lines. */
function Differences({ from, to, onClose }: Props) {
  const { schema, terms, formats } = useStrings();
  const query = useQuery({ query: DIFF, variables: { from, to } });
  return (
    <Modal onClose={onClose} size="xl" title={schema.changesBetween(String(from), String(to))}>
      <Loaded query={query}>
        {({ schemaDiff: { text, changes, others } }) => (
          <Stack>
            {changes.length + others === 0 && <Note role="status">{schema.noChanges}</Note>}
            <List size="sm" listStyleType="none" aria-label={terms.changes}>
              {changes.slice(0, MAX_CHANGES).map(({ coordinate, message, isBreaking }) => (
                <List.Item key={`${coordinate} ${message}`} style={{ overflowWrap: 'anywhere' }}>
                  <Group gap="xs">
                    {isBreaking && <Tag label={schema.breaking} color="red" size="sm" />}
                    {message}
                  </Group>
                </List.Item>
              ))}
            </List>
            {changes.length > MAX_CHANGES && <Note>{schema.moreChanges(formats.number(changes.length - MAX_CHANGES))}</Note>}
            {others > 0 && <Note>{schema.moreDefinitions(formats.number(others))}</Note>}
            {text && <Lines text={text} />}
          </Stack>
        )}
      </Loaded>
    </Modal>
  );
}

const lineColors: Record<string, string> = {
  '-': 'var(--mantine-color-red-light)',
  '+': 'var(--mantine-color-green-light)',
  '@': 'var(--mantine-color-default-hover)',
};

function Lines({ text }: { text: string }) {
  const { schema } = useStrings();
  const lines = text.trimEnd().split('\n');
  return (
    <Code block aria-label={schema.lines} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
      {lines.slice(0, MAX_LINES).map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines repeat and never move
        <Box key={at} bg={lineColors[line[0] ?? '']}>
          {line || ' '}
        </Box>
      ))}
      {lines.length > MAX_LINES && '…'}
    </Code>
  );
}

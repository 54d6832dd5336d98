import { Group, Progress, Stack, Table, Text } from '@mantine/core';
import { IconEqual, IconHourglass } from '@tabler/icons-react';
import { useCallback, useEffect, useState } from 'react';
import { useParams } from 'react-router';
import { type Client, type CombinedError, useClient } from 'urql';
import type { ComparisonQuery } from '../../../.graph/graphql.ts';
import { graphql } from '../../graph/graph-hooks.ts';
import { isOpen } from '../../jobs/job-state.tsx';
import { useJobsChanged } from '../../layout/overview.tsx';
import { Note } from '../../parts/elements.tsx';
import { PageChoice } from '../../parts/page-choice.tsx';
import { Empty, Failure, Loading, PageTitle } from '../../parts/page-frame.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { useDefinitions } from '../../values/definitions.ts';
import { formatValue } from '../../values/format.ts';
import { Confidence } from '../../values/origin.tsx';

/** Rows of a page of the table. */
const PAGE = 50;

/** The values on which a job and its repetition differ. */
export function Page() {
  const { jobs } = useStrings();
  const { id = '' } = useParams();
  const { comparison, retry } = useComparison(id);
  return (
    <>
      <PageTitle title={jobs.compareTitle} />
      <Text mb="md">{jobs.compareText}</Text>
      {comparison.error ? <Failure error={comparison.error} retry={retry} /> : <Found key={id} comparison={comparison} />}
    </>
  );
}

function Found({ comparison: { differences, compared, read, total, isDone } }: { comparison: Comparison }) {
  const { jobs, formats } = useStrings();
  const [page, setPage] = useState(1);
  if (total === 0 && !isDone) return <Loading />;
  if (isDone && compared === 0)
    return <Empty icon={IconHourglass} title={jobs.nothingToCompare} text={jobs.nothingToCompareText} />;
  if (isDone && differences.length === 0)
    return <Empty icon={IconEqual} title={jobs.noDifferences} text={jobs.noDifferencesText} />;
  const pages = Math.ceil(differences.length / PAGE);
  return (
    <Stack>
      <div>
        <Group justify="space-between" role="status">
          <Text>{jobs.differences(differences.length, formats.number(differences.length))}</Text>
          {!isDone && <Note>{jobs.compared(formats.number(read), formats.number(total))}</Note>}
        </Group>
        {!isDone && <Progress value={(read / total) * 100} size="xs" mt={4} aria-label={jobs.compareTitle} />}
      </div>
      {differences.length > 0 && <Differences rows={differences.slice((page - 1) * PAGE, page * PAGE)} />}
      <PageChoice page={page} totalPages={pages} onPage={setPage} />
    </Stack>
  );
}

function Differences({ rows }: { rows: Difference[] }) {
  const strings = useStrings();
  const { jobs, pages } = strings;
  const definitions = useDefinitions();
  return (
    <Table.ScrollContainer
      minWidth={560}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'region', 'aria-label': jobs.compareTitle } }}
    >
      <Table aria-label={jobs.compareTitle} verticalSpacing="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{jobs.item}</Table.Th>
            <Table.Th>{pages.attribute}</Table.Th>
            <Table.Th>{jobs.before}</Table.Th>
            <Table.Th>{jobs.after}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ key, item, name, before, after }) => (
            <Table.Tr key={key}>
              <Table.Td>{item}</Table.Td>
              <Table.Td>{definitions.get((after ?? before)!.slug)?.name ?? name}</Table.Td>
              {[before, after].map((value, at) => (
                <Table.Td key={at === 0 ? 'before' : 'after'} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                  {value
                    ? formatValue(value.value, value.attributeType, strings, definitions.get(value.slug))
                    : strings.values.none}
                  {typeof value?.confidence === 'number' && (
                    <div>
                      <Confidence value={value.confidence} />
                    </div>
                  )}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

const COMPARISON = graphql(`
  query Comparison($id: ID!, $page: Int!) {
    job(id: $id) {
      id status totalCount
      items(page: $page, limit: 100) {
        nodes { id ordinal productId label status enrichedData provenance { slug confidence } product { id name } }
        pagination { totalPages }
      }
      rerunOf {
        id totalCount
        items(page: $page, limit: 100) { nodes { id ordinal productId label status enrichedData provenance { slug confidence } } pagination { totalPages } }
      }
    }
  }
`);
type Job = ComparisonQuery['job'];
type Item = Job['items']['nodes'][number];
type Earlier = NonNullable<Job['rerunOf']>['items']['nodes'][number];

interface Difference {
  key: string;
  item?: string | null;
  name: string;
  before?: Compared;
  after?: Compared;
}
type Compared = NonNullable<Item['enrichedData']>[string] & { slug: string; confidence?: number };

interface Comparison {
  differences: Difference[];
  /** Items that both jobs have completed. */
  compared: number;
  /** Items read so far, of `total`. */
  read: number;
  total: number;
  isDone: boolean;
  /** The repetition still runs, so that another comparison finds more. */
  isOpen: boolean;
  error?: CombinedError;
}
const START: Comparison = { differences: [], compared: 0, read: 0, total: 0, isDone: false, isOpen: false };

/** The values on which a job and the job that it repeats differ. It grows while all items are read. */
function useComparison(id: string): { comparison: Comparison; retry(): void } {
  const client = useClient();
  const [attempt, setAttempt] = useState(0);
  const [comparison, setComparison] = useState(START);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt starts again.
  useEffect(() => {
    const leaving = new AbortController();
    setComparison(START);
    void compare(client, id, leaving.signal, setComparison);
    return () => leaving.abort();
  }, [client, id, attempt]);
  const retry = useCallback(() => setAttempt((before) => before + 1), []);
  useJobsChanged(() => {
    if (comparison.isDone && comparison.isOpen) retry();
  });
  return { comparison, retry };
}

async function compare(client: Client, id: string, signal: AbortSignal, report: (comparison: Comparison) => void): Promise<void> {
  const earlier = new Map<string, Earlier>();
  const waiting = new Map<string, Item>();
  let state = START;
  for (let page = 1; !state.isDone; page++) {
    const { data, error } = await client.query(COMPARISON, { id, page }, { requestPolicy: 'network-only' });
    if (signal.aborted) return;
    if (!data) return report({ ...state, isDone: true, error });
    const { job } = data;
    const keyOf = keysOf(job);
    for (const item of job.rerunOf?.items.nodes ?? []) earlier.set(keyOf(item), item);
    for (const item of job.items.nodes) waiting.set(keyOf(item), item);
    const pairs = [...waiting].flatMap(([key, item]) => {
      const partner = earlier.get(key);
      if (!partner) return [];
      waiting.delete(key);
      earlier.delete(key);
      return item.status === 'completed' && partner.status === 'completed' ? [{ item, partner }] : [];
    });
    state = {
      differences: [...state.differences, ...pairs.flatMap(({ item, partner }) => differencesOf(partner, item))],
      compared: state.compared + pairs.length,
      read: Math.min(state.read + job.items.nodes.length, job.totalCount),
      total: job.totalCount,
      isOpen: isOpen(job),
      isDone: page >= Math.max(job.items.pagination.totalPages, job.rerunOf?.items.pagination.totalPages ?? 0),
    };
    report(state);
  }
}

/** A repetition of all items has their order. One of the failed items has only some of them. */
const keysOf = ({ totalCount, rerunOf }: Job) => {
  const isWhole = totalCount === rerunOf?.totalCount;
  return ({ ordinal, productId, label }: Earlier) => (isWhole ? String(ordinal) : (productId ?? label ?? String(ordinal)));
};

/** Values that differ, or have another confidence. */
function differencesOf(before: Earlier, after: Item): Difference[] {
  const [old, now] = [comparedOf(before), comparedOf(after)];
  const slugs = [...new Set([...old.keys(), ...now.keys()])].sort();
  const keyOf = (value?: Compared) => JSON.stringify([value?.value ?? null, value?.confidence ?? null]);
  return slugs
    .filter((slug) => keyOf(old.get(slug)) !== keyOf(now.get(slug)))
    .map((slug) => ({
      key: `${after.id} ${slug}`,
      item: after.product?.name ?? after.label,
      name: (now.get(slug) ?? old.get(slug))!.attributeName,
      before: old.get(slug),
      after: now.get(slug),
    }));
}

function comparedOf({ enrichedData, provenance }: Earlier): Map<string, Compared> {
  const confidences = new Map(provenance?.map(({ slug, confidence }) => [slug, confidence]));
  return new Map(
    Object.entries(enrichedData ?? {}).map(([slug, value]) => [slug, { ...value, slug, confidence: confidences.get(slug) }]),
  );
}

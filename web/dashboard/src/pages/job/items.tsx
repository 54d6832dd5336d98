import { Alert, Anchor, Group, Stack, Table, Text, UnstyledButton } from '@mantine/core';
import { IconListSearch } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { Link } from 'react-router';
import type { JobItemPageQuery, JobItemsQuery, JobItemsQueryVariables, JobPageQuery } from '../../../.graph/graphql.ts';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import { usePages, useReread } from '../../graph/use-pages.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Note, Tag, WebLink } from '../../parts/elements.tsx';
import { Drawer, Search, Segments } from '../../parts/forms-and-dialogs.tsx';
import { Loaded } from '../../parts/page-frame.tsx';
import { useUrlState } from '../../parts/url-state.ts';
import { useAddress } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { useDefinitions } from '../../values/definitions.ts';
import { formatValue } from '../../values/format.ts';
import { Confidence, Origin } from '../../values/origin.tsx';

const ITEMS = graphql(`
  query JobItems($id: ID!, $page: Int!, $limit: Int!, $status: JobItemStatus, $search: String!) {
    job(id: $id) {
      id
      items(page: $page, limit: $limit, status: $status, search: $search) {
        nodes { id ordinal label status errorMessage cost completedAt overallScore valueCount results { id } product { id name sku } }
        pagination { total }
      }
    }
  }
`);

type Row = JobItemsQuery['job']['items']['nodes'][number];
const DEFAULTS = { items: 'all', search: '' };
const CHOICES = { items: ['all', 'completed', 'failed'] } as const;
const colors = { pending: 'gray', processing: 'blue', completed: 'teal', failed: 'red' } as const;

/** The items of a job. A click shows the result of one. */
export function Items({ job }: { job: JobPageQuery['job'] }) {
  const { jobs, terms } = useStrings();
  const [{ items: status, search }, change, bind] = useUrlState(DEFAULTS, CHOICES);
  const [open, setOpen] = useState<string | null>(null);
  const variables = useMemo(
    () => ({ id: job.id, search, status: (status === 'all' ? undefined : status) as JobItemsQueryVariables['status'] }),
    [job.id, search, status],
  );
  const rows = usePages(ITEMS, variables, (data) => data.job.items);
  // An answer may be older than the progress that arrived before it, and a filter selects further items.
  useReread(rows, `${job.processedCount} ${job.status}`);
  const columns = useColumns(setOpen);
  return (
    <>
      <Group gap="sm">
        <Search label={jobs.searchItems} value={search} onSearch={(text) => change({ search: text })} />
        <Segments
          {...bind('items')}
          aria-label={terms.status}
          labels={{ all: terms.all, completed: jobs.itemStatuses.completed, failed: jobs.itemStatuses.failed }}
        />
      </Group>
      <DataTable<Row>
        fixed
        label={jobs.itemsTitle}
        columns={columns}
        rows={rows}
        empty={{ icon: IconListSearch, title: jobs.noItems }}
      />
      {open && <ItemDrawer id={open} onClose={() => setOpen(null)} />}
    </>
  );
}

function useColumns(onOpen: (id: string) => void): Column<Row>[] {
  const { jobs, terms, formats } = useStrings();
  return useMemo(
    () => [
      {
        key: 'name',
        title: jobs.item,
        cell: ({ id, product, label, ordinal }) => (
          <UnstyledButton maw="100%" onClick={() => onOpen(id)}>
            <Text c="var(--mantine-color-anchor)" truncate>
              {product?.name ?? label ?? jobs.itemNumber(ordinal + 1)}
            </Text>
          </UnstyledButton>
        ),
      },
      { key: 'sku', title: 'SKU', from: 'md', width: 150, cell: ({ product }) => product?.sku },
      {
        key: 'status',
        title: terms.status,
        width: 140,
        cell: ({ status }) => <Tag label={jobs.itemStatuses[status]} color={colors[status]} />,
      },
      {
        key: 'result',
        title: terms.result,
        from: 'sm',
        cell: ({ errorMessage, overallScore, valueCount, results }) => {
          if (errorMessage) return errorMessage;
          if (typeof overallScore === 'number') return formats.percent(overallScore / 100);
          if (typeof valueCount === 'number') return jobs.values(valueCount);
          return results.length > 0 && jobs.offersFound(results.length);
        },
      },
      { key: 'cost', title: terms.credits, from: 'md', align: 'right', width: 90, cell: ({ cost }) => formats.credits(cost) },
      {
        key: 'completedAt',
        title: jobs.ended,
        from: 'lg',
        width: 150,
        cell: ({ completedAt }) => completedAt && formats.ago(completedAt),
      },
    ],
    [jobs, terms, formats, onOpen],
  );
}

const ITEM = graphql(`
  query JobItemPage($id: ID!) {
    jobItem(id: $id) {
      id label status errorMessage enrichedData validationResults
      product { id name }
      provenance { slug confidence sourceKind sourceUrl sourceTitle snippet }
      results { id source price currency availability link }
    }
  }
`);
type Item = JobItemPageQuery['jobItem'];

/** The result of one item beside the list. */
function ItemDrawer({ id, onClose }: { id: string; onClose(): void }) {
  const { terms } = useStrings();
  const address = useAddress();
  const query = useQuery({ query: ITEM, variables: { id } });
  return (
    <Drawer onClose={onClose} size="lg" title={terms.result}>
      <Loaded query={query}>
        {({ jobItem: item }) => (
          <Stack>
            {item.product ? (
              <Anchor size="md" component={Link} to={address(`products/${item.product.id}`)} fw={500}>
                {item.product.name}
              </Anchor>
            ) : (
              <Text size="md" fw={500}>
                {item.label}
              </Text>
            )}
            {item.errorMessage && <Alert color="red">{item.errorMessage}</Alert>}
            <Written item={item} />
            <Checked item={item} />
            <Offers item={item} />
          </Stack>
        )}
      </Loaded>
    </Drawer>
  );
}

function Written({ item: { enrichedData, provenance } }: { item: Item }) {
  const strings = useStrings();
  const definitions = useDefinitions();
  const origins = new Map(provenance?.map((origin) => [origin.slug, origin]));
  return Object.entries(enrichedData ?? {}).map(([slug, { attributeName, attributeType, value }]) => {
    const origin = origins.get(slug);
    return (
      <Stack key={slug} gap={4}>
        <Group justify="space-between">
          <Text fw={500}>{attributeName}</Text>
          {origin && <Confidence value={origin.confidence} />}
        </Group>
        <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {formatValue(value, attributeType, strings, definitions.get(slug))}
        </Text>
        {origin && <Origin {...origin} />}
      </Stack>
    );
  });
}

function Checked({ item: { validationResults } }: { item: Item }) {
  const strings = useStrings();
  const { jobs } = strings;
  return Object.entries(validationResults ?? {}).map(([slug, check]) => (
    <Stack key={slug} gap={4}>
      <Group justify="space-between">
        <Text fw={500}>{check.attributeName}</Text>
        <Tag label={check.isValid ? jobs.valid : jobs.invalid} color={check.isValid ? 'teal' : 'red'} />
      </Group>
      <Text>{formatValue(check.existingValue, check.attributeType, strings)}</Text>
      <Note>{check.explanation}</Note>
    </Stack>
  ));
}

function Offers({ item: { results } }: { item: Item }) {
  const { jobs, terms, formats } = useStrings();
  if (results.length === 0) return null;
  return (
    <Table aria-label={terms.offers}>
      <Table.Tbody>
        {results.map(({ id, source, price, currency, link, availability }) => (
          <Table.Tr key={id}>
            <Table.Td>
              <WebLink url={link} label={source} />
            </Table.Td>
            <Table.Td ta="right">{formats.money(price, currency)}</Table.Td>
            <Table.Td>{jobs.availabilities[availability]}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

import { Group, Text, UnstyledButton } from '@mantine/core';
import { IconListSearch } from '@tabler/icons-react';
import { lazy, Suspense, useMemo, useState } from 'react';
import type { JobItemsQuery, JobItemsQueryVariables, JobPageQuery } from '../../../.graph/graphql.ts';
import { graphql } from '../../graph/graph-hooks.ts';
import { usePages, useReread } from '../../graph/use-pages.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Tag } from '../../parts/elements.tsx';
import { Search, Segments } from '../../parts/forms-and-dialogs.tsx';
import { Empty } from '../../parts/page-frame.tsx';
import { useUrlState } from '../../parts/url-state.ts';
import { useStrings } from '../../strings/strings.tsx';

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
const ItemDrawer = lazy(async () => ({ default: (await import('./item-drawer.tsx')).ItemDrawer }));

/** The items of a job. A click shows the result of one. */
export function Items({ job }: { job: JobPageQuery['job'] }) {
  const { jobs, terms } = useStrings();
  const [{ items: status, search }, change] = useUrlState(DEFAULTS, CHOICES);
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
          aria-label={terms.status}
          value={status}
          onChange={(items) => change({ items })}
          labels={{ all: terms.all, completed: jobs.itemStatuses.completed, failed: jobs.itemStatuses.failed }}
        />
      </Group>
      <DataTable<Row>
        fixed
        label={jobs.itemsTitle}
        columns={columns}
        rows={rows}
        empty={<Empty icon={IconListSearch} title={jobs.noItems} />}
      />
      {open && (
        <Suspense>
          <ItemDrawer id={open} onClose={() => setOpen(null)} />
        </Suspense>
      )}
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

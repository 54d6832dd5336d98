import { Anchor, Badge, SegmentedControl, Text } from '@mantine/core';
import { useState } from 'react';
import type { SourcePagesQuery } from '../../../../.graph/graphql.ts';
import { usePages } from '../../../graph/pages.ts';
import { type Column, DataTable } from '../../../parts/data-table.tsx';
import { Empty } from '../../../parts/states.tsx';
import { useFormats, useStrings } from '../../../strings/strings.tsx';
import { SOURCE_PAGES } from './documents.ts';

type Row = SourcePagesQuery['sourcePages']['nodes'][number];
const colors = { pending: 'gray', read: 'teal', unchanged: 'teal', failed: 'red' } as const;

/** The pages of a website, with the reason of each failure. */
export function SourcePages({ sourceId }: { sourceId: string }) {
  const { agents } = useStrings();
  const formats = useFormats();
  const [status, setStatus] = useState<Row['status'] | ''>('');
  const rows = usePages(SOURCE_PAGES, { sourceId, status: status || null }, ({ sourcePages }) => sourcePages);
  const columns: Column<Row>[] = [
    {
      key: 'url',
      title: agents.page,
      cell: ({ url, title, error }) => (
        <>
          <Anchor href={url} target="_blank" rel="noopener noreferrer" size="sm" title={url}>
            {title || url}
          </Anchor>
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
      title: agents.state,
      width: 130,
      cell: (page) => (
        <Badge variant="light" color={colors[page.status]}>
          {agents.pageStates[page.status]}
        </Badge>
      ),
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
      <SegmentedControl
        mb="sm"
        size="xs"
        aria-label={agents.state}
        value={status}
        onChange={(value) => setStatus(value as typeof status)}
        data={[{ value: '', label: agents.all }, ...Object.entries(agents.pageStates).map(([value, label]) => ({ value, label }))]}
      />
      <div style={{ flex: 1, minHeight: 0 }}>
        <DataTable label={agents.pagesRead} columns={columns} rows={rows} empty={<Empty title={agents.noPages} />} />
      </div>
    </>
  );
}

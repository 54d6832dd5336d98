import { Box, Code } from '@mantine/core';
import { IconArrowForward } from '@tabler/icons-react';
import type { SiteRedirectsQuery } from '../../../.graph/graphql.ts';
import { graphql } from '../../graph/graphql.ts';
import { usePages } from '../../graph/pages.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/states.tsx';
import { useFormats, useStrings } from '../../strings/strings.tsx';

const REDIRECTS = graphql(`
  query SiteRedirects($siteId: ID!, $page: Int!, $limit: Int!) {
    list: redirects(siteId: $siteId, page: $page, perPage: $limit) { nodes { id kind address recordId createdAt } pagination: meta { total } }
  }
`);

/** The former addresses of records. */
export function Redirects({ siteId }: { siteId: string }) {
  const { content } = useStrings();
  const formats = useFormats();
  const rows = usePages(REDIRECTS, { siteId }, ({ list }) => list);
  const columns: Column<SiteRedirectsQuery['list']['nodes'][number]>[] = [
    { key: 'address', title: content.formerAddress, cell: ({ address }) => <Code>{address}</Code> },
    { key: 'kind', title: content.kind, width: 140, cell: ({ kind }) => content.redirectKinds[kind] },
    { key: 'created', title: content.since, from: 'sm', width: 160, cell: ({ createdAt }) => formats.date(createdAt) },
  ];
  return (
    <Box flex={1} mih={320}>
      <DataTable
        label={content.kinds.redirects}
        columns={columns}
        rows={rows}
        empty={<Empty icon={IconArrowForward} title={content.noRedirects} text={content.noRedirectsText} />}
      />
    </Box>
  );
}

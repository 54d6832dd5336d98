import { Anchor, Group, Text } from '@mantine/core';
import { IconFileText, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'react-router';
import type { PublicationFilter, PublicationStatus } from '../../.graph/graphql.ts';
import { usePages } from '../graph/use-pages.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { Action, Tag } from '../parts/elements.tsx';
import { Segments } from '../parts/forms-and-dialogs.tsx';
import { useOrganization } from '../session/session.tsx';
import { useStrings } from '../strings/strings.tsx';
import type { Kind, KindName, Place, SiteRecord } from './content-kind.ts';

interface Props {
  name: KindName;
  kind: Kind;
  place: Place;
  /** The address of the editor of a record, or of a new one for `new`. */
  to(record: string): string;
}

/** The records of one kind, by page, with a filter by status if they can be published. */
export function RecordList({ name, kind, place, to }: Props) {
  const { content, terms } = useStrings();
  const { isAdmin } = useOrganization();
  // Only editors see drafts. Editors of a workspace who are no admins choose another filter themselves.
  const [status, setStatus] = useState<PublicationFilter>(isAdmin ? 'all' : 'published');
  const rows = usePages(kind.list, { ...place, status }, ({ list }) => list);
  const button = <Action label={content.create[name]} component={Link} to={to('new')} size="xs" icon={IconPlus} />;
  return (
    <>
      <Group justify="space-between" mb="sm">
        {kind.publish ? (
          <Segments
            size="xs"
            aria-label={terms.status}
            value={status}
            onChange={setStatus}
            labels={{ all: terms.all, ...content.statuses }}
          />
        ) : (
          <span />
        )}
        {button}
      </Group>
      <DataTable
        minHeight={320}
        label={content.kinds[name]}
        columns={useColumns(kind, to)}
        rows={rows}
        empty={{ icon: IconFileText, title: content.nothing[name], text: content.nothingText, action: button }}
      />
    </>
  );
}

function useColumns(kind: Kind, to: Props['to']): Column<SiteRecord>[] {
  const { content, terms, formats } = useStrings();
  return [
    {
      key: 'title',
      title: content.fields.title!,
      cell: (row) => (
        <Anchor component={Link} to={to(row.id)}>
          {kind.title(row)}
        </Anchor>
      ),
    },
    {
      key: 'address',
      title: terms.address,
      from: 'sm',
      cell: (row) => <Text truncate>{kind.address(row)}</Text>,
    },
    ...(kind.publish
      ? [
          {
            key: 'status',
            title: terms.status,
            width: 140,
            cell: ({ status }: SiteRecord) => status && <Status status={status} />,
          },
        ]
      : []),
    { key: 'updated', title: terms.changed, from: 'md', width: 160, cell: ({ updatedAt }) => formats.ago(updatedAt) },
  ];
}

const COLORS = { draft: 'gray', scheduled: 'blue', published: 'teal' } as const;

export function Status({ status }: { status: PublicationStatus }) {
  const { content } = useStrings();
  return <Tag label={content.statuses[status]} color={COLORS[status]} />;
}

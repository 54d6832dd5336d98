import { Anchor, Group, Text } from '@mantine/core';
import { useMemo } from 'react';
import { Link } from 'react-router';
import type { FieldUsageQuery } from '../../../.graph/graphql.ts';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import { allRows, type Column, DataTable } from '../../parts/data-table.tsx';
import { Note, Tag } from '../../parts/elements.tsx';
import { Search, Segments } from '../../parts/forms-and-dialogs.tsx';
import { Loaded } from '../../parts/page-frame.tsx';
import { useUrlState } from '../../parts/url-state.ts';
import { useStrings } from '../../strings/strings.tsx';

const FIELD_USAGE = graphql(`query FieldUsage($days: Int!) {
  fieldUsage(days: $days, limit: 10000) {
    nodes { coordinate description deprecation requests clientCount clients lastUsedAt }
  }
}`);

/** A field, argument, input field or enum value. */
type SchemaPart = FieldUsageQuery['fieldUsage']['nodes'][number] & { id: string };

const DEFAULTS = { search: '', show: 'all' };
const filters = ['all', 'used', 'unused', 'deprecated'] as const;
const CHOICES = { show: filters };

const shows: Record<(typeof filters)[number], (part: SchemaPart) => boolean> = {
  all: () => true,
  used: ({ lastUsedAt }) => lastUsedAt !== null,
  unused: ({ lastUsedAt }) => lastUsedAt === null,
  deprecated: ({ deprecation }) => deprecation !== null,
};

/** The parts of the schema with their use. */
export function Parts({ days }: { days: number }) {
  const { schema, formats } = useStrings();
  const [{ search, show }, change, bind] = useUrlState(DEFAULTS, CHOICES);
  const usage = useQuery({ query: FIELD_USAGE, variables: { days } });
  const columns = useColumns(days);
  const nodes = usage[0].data?.fieldUsage.nodes;
  const parts = useMemo(() => (nodes ?? []).map((node) => ({ ...node, id: node.coordinate })), [nodes]);
  const words = search.toLowerCase();
  const shown = parts.filter(
    (part) =>
      shows[show as (typeof filters)[number]](part) &&
      (part.id.toLowerCase().includes(words) || part.description.toLowerCase().includes(words)),
  );
  return (
    <Loaded query={usage}>
      {() => (
        <>
          <Group mb="sm">
            <Search label={schema.search} value={search} onSearch={(text) => change({ search: text })} />
            <Segments {...bind('show')} aria-label={schema.shown} labels={schema.filters} />
            <Note role="status">{schema.count(formats.number(shown.length))}</Note>
          </Group>
          <DataTable
            minHeight={240}
            label={schema.fields}
            columns={columns}
            rows={allRows(shown)}
            rowHeight={64}
            fixed
            minWidth={720}
            empty={{ title: schema.noFields }}
          />
        </>
      )}
    </Loaded>
  );
}

function useColumns(days: number): Column<SchemaPart>[] {
  const { schema, formats } = useStrings();
  return useMemo(
    () => [
      {
        key: 'coordinate',
        title: schema.coordinate,
        cell: ({ id, description, deprecation, lastUsedAt }) => (
          <>
            <Group gap="xs" wrap="nowrap">
              {lastUsedAt ? (
                <Anchor
                  component={Link}
                  ff="monospace"
                  truncate
                  to={`?view=operations&days=${days}&coordinate=${encodeURIComponent(id)}`}
                  aria-label={`${schema.showOperations} ${id}`}
                >
                  {id}
                </Anchor>
              ) : (
                <Text ff="monospace" truncate title={id}>
                  {id}
                </Text>
              )}
              {deprecation !== null && <Tag label={schema.deprecated} color="orange" title={deprecation} />}
            </Group>
            <Text size="xs" c="dimmed" truncate title={description}>
              {deprecation || description}
            </Text>
          </>
        ),
      },
      {
        key: 'perDay',
        title: schema.perDay,
        width: 140,
        align: 'right',
        cell: ({ requests }) => requests > 0 && formats.number(requests / days),
      },
      {
        key: 'clients',
        title: schema.clients,
        width: 220,
        cell: ({ clients, clientCount }) => {
          const names = clients.slice(0, 3).map((name) => clientName(name, schema));
          const more = clientCount - names.length;
          return (
            <Text truncate title={clients.map((name) => clientName(name, schema)).join(', ')}>
              {names.join(', ')} {more > 0 && schema.more(more)}
            </Text>
          );
        },
      },
      {
        key: 'lastUse',
        title: schema.lastUse,
        width: 140,
        cell: ({ lastUsedAt }) => (
          <Text c={lastUsedAt ? undefined : 'dimmed'}>{lastUsedAt ? formats.ago(lastUsedAt) : schema.never}</Text>
        ),
      },
    ],
    [days, formats, schema],
  );
}

/** The name of a client, or words for those without one. */
export const clientName = (name: string, { unnamed, rest }: { unnamed: string; rest: string }): string =>
  name === '' ? unnamed : name === '*' ? rest : name;

import { Badge, Group, Text, UnstyledButton } from '@mantine/core';
import { IconCornerDownRight } from '@tabler/icons-react';
import type { FoundItemFragment } from '../../../.graph/graphql.ts';
import type { Column } from '../../parts/data-table.tsx';
import { useStrings } from '../../strings/strings.tsx';

const colors = { pending: 'gray', processing: 'blue', completed: 'teal', failed: 'red' } as const;

/** The columns of found products. Products that are not imported yet open by their name. */
export function useColumns(onEdit: (item: FoundItemFragment) => void): Column<FoundItemFragment>[] {
  const { imports, products, jobs } = useStrings();
  return [
    { key: 'name', title: products.name, sortable: true, cell: (item) => <Name item={item} onEdit={onEdit} /> },
    { key: 'sku', title: products.sku, width: 150, from: 'sm', cell: ({ data }) => data.sku },
    {
      key: 'type',
      title: imports.type,
      width: 170,
      from: 'sm',
      sortable: true,
      cell: ({ type, childCount }) => (type === 'family' ? imports.family(childCount) : imports.types[type]),
    },
    { key: 'brand', title: products.brand, from: 'md', cell: ({ data }) => data.brand },
    { key: 'category', title: products.category, from: 'lg', cell: ({ data }) => data.category },
    {
      key: 'status',
      title: jobs.status,
      width: 130,
      cell: ({ status, errorMessage }) => (
        <Badge variant="light" color={colors[status]} title={errorMessage ?? undefined}>
          {imports.statuses[status]}
        </Badge>
      ),
    },
  ];
}

function Name({ item, onEdit }: { item: FoundItemFragment; onEdit(item: FoundItemFragment): void }) {
  const { data, parentItemId, status, errorMessage } = item;
  const options = Object.entries(data.variantOptions as Record<string, string>).map(([name, value]) => `${name}: ${value}`);
  const detail = errorMessage ?? options.join(', ');
  return (
    <Group gap={6} wrap="nowrap" maw={{ base: '42vw', sm: 420 }}>
      {parentItemId && <IconCornerDownRight size={14} aria-hidden />}
      {status === 'completed' ? (
        <Text size="sm" truncate>
          {data.name}
        </Text>
      ) : (
        <UnstyledButton onClick={() => onEdit(item)} miw={0}>
          <Text size="sm" c="var(--mantine-color-anchor)" truncate>
            {data.name}
          </Text>
        </UnstyledButton>
      )}
      {detail && (
        <Text size="xs" c={errorMessage ? 'var(--mantine-color-red-light-color)' : 'dimmed'} truncate>
          {detail}
        </Text>
      )}
    </Group>
  );
}

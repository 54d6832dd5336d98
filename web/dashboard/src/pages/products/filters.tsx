import { Badge, Button, NumberInput, Popover, Select, Stack, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconFilter } from '@tabler/icons-react';
import { useQuery } from 'urql';
import { graphql } from '../../graph/graphql.ts';
import { useStrings } from '../../strings/strings.tsx';
import type { useFilters } from './list.ts';

const ATTRIBUTES = graphql(`query FilterAttributes { attributes(subject: product) { id slug name } }`);

/** The filters of the list behind one button. */
export function Filters({ state, change, clear, active }: ReturnType<typeof useFilters>) {
  const { products } = useStrings();
  const [{ data }] = useQuery({ query: ATTRIBUTES });
  const later = useDebouncedCallback(change, 300);
  return (
    <Popover width={300} position="bottom-end" trapFocus shadow="md">
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<IconFilter size={16} aria-hidden />}
          rightSection={active > 0 && <Badge size="sm">{active}</Badge>}
        >
          {products.filters}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm">
          <Select
            label={products.enrichment}
            value={state.enriched}
            onChange={(value) => change({ enriched: value ?? 'all' })}
            data={Object.entries(products.enrichments).map(([value, label]) => ({ value, label }))}
            allowDeselect={false}
            comboboxProps={{ withinPortal: false }}
          />
          <Select
            label={products.family}
            value={state.family}
            onChange={(value) => change({ family: value ?? 'all' })}
            data={Object.entries(products.families).map(([value, label]) => ({ value, label }))}
            allowDeselect={false}
            comboboxProps={{ withinPortal: false }}
          />
          <TextInput
            label={products.brand}
            defaultValue={state.brand}
            onChange={({ currentTarget: { value } }) => later({ brand: value })}
          />
          <TextInput
            label={products.category}
            defaultValue={state.category}
            onChange={({ currentTarget: { value } }) => later({ category: value })}
          />
          <Select
            label={products.missing}
            value={state.missing || null}
            onChange={(value) => change({ missing: value ?? '' })}
            data={data?.attributes.map(({ slug, name }) => ({ value: slug, label: name })) ?? []}
            clearable
            searchable
            comboboxProps={{ withinPortal: false }}
          />
          <NumberInput
            label={products.below}
            defaultValue={state.below && Number(state.below)}
            onChange={(value) => later({ below: String(value) })}
            min={0}
            max={100}
            suffix=" %"
          />
          <Button variant="subtle" onClick={clear} disabled={active === 0}>
            {products.clear}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

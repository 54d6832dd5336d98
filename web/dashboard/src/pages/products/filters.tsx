import { ActionIcon, Autocomplete, Badge, Checkbox, Group, Popover, Select, Stack, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconFilter, IconPlus, IconTrash } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import { Action, SmallAction } from '../../parts/elements.tsx';
import { Choice, NumberField, numberOf, ticked, typed } from '../../parts/forms-and-dialogs.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { type useFilters, type ValueFilter, valuesOf } from './filter-state.ts';

export const BRANDS = graphql(
  `query BrandNames($search: String!) { brands(search: $search, limit: 10, sortBy: productCount, sortOrder: desc) { nodes { id name } } }`,
);
export const CATEGORIES = graphql(
  `query CategoryNames($search: String!) { categories(search: $search, limit: 10, sortBy: productCount, sortOrder: desc) { nodes { id name } } }`,
);
const ATTRIBUTES = graphql(`query FilterAttributes { attributes(subject: product) { id slug name } }`);

type Typed = Record<'brand' | 'category' | 'below' | 'incomplete' | 'values', string>;

/** The text that the user types into the filters. It becomes a filter after a pause in typing. */
function useDraft({ brand, category, below, incomplete, values }: Typed, change: (typed: Partial<Typed>) => void) {
  const [typed, setTyped] = useState<Partial<Typed>>({});
  // One pause covers all inputs, so that none takes back what another one reports.
  const pending = useRef<Partial<Typed>>({});
  const report = useDebouncedCallback(() => {
    change(pending.current);
    pending.current = {};
  }, 300);
  function write(part: Partial<Typed>) {
    pending.current = { ...pending.current, ...part };
    setTyped((before) => ({ ...before, ...part }));
    report();
  }
  function drop() {
    pending.current = {};
    setTyped({});
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new address replaces what was typed before it.
  useEffect(() => setTyped(pending.current), [brand, category, below, incomplete, values]);
  return { draft: { brand, category, below, incomplete, values, ...typed }, write, drop };
}

/** The filters of the list behind one button. */
export function Filters({ state, change, clear, active }: ReturnType<typeof useFilters>) {
  const { products, productEdits } = useStrings();
  const [{ data }] = useQuery({ query: ATTRIBUTES });
  const { draft, write, drop } = useDraft(state, change);
  const [{ data: brands }] = useQuery({ query: BRANDS, variables: { search: state.brand } });
  const [{ data: categories }] = useQuery({ query: CATEGORIES, variables: { search: state.category } });
  function reset() {
    drop();
    clear();
  }
  return (
    <Popover width={300} position="bottom-end" trapFocus shadow="md">
      <Popover.Target>
        <Action
          label={products.filters}
          variant="default"
          icon={IconFilter}
          rightSection={active > 0 && <Badge size="sm">{active}</Badge>}
        />
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm">
          <Choice
            label={products.enrichment}
            value={state.enriched}
            onChange={(enriched) => change({ enriched })}
            labels={products.enrichments}
            comboboxProps={{ withinPortal: false }}
          />
          <Choice
            label={products.family}
            value={state.family}
            onChange={(family) => change({ family })}
            labels={products.families}
            comboboxProps={{ withinPortal: false }}
          />
          <Autocomplete
            label={products.brand}
            maxLength={128}
            data={names(brands?.brands.nodes)}
            value={draft.brand}
            onChange={(brand) => write({ brand })}
            comboboxProps={{ withinPortal: false }}
          />
          <Autocomplete
            label={products.category}
            description={productEdits.categoryText}
            maxLength={1024}
            data={names(categories?.categories.nodes)}
            value={draft.category}
            onChange={(category) => write({ category })}
            comboboxProps={{ withinPortal: false }}
          />
          <Values
            values={valuesOf(draft.values)}
            attributes={data?.attributes ?? []}
            onChange={(values) => write({ values: values.length > 0 ? JSON.stringify(values) : '' })}
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
          {(['below', 'incomplete'] as const).map((filter) => (
            <NumberField
              key={filter}
              label={products[filter]}
              value={numberOf(draft[filter])}
              onChange={(value) => write({ [filter]: String(value ?? '') })}
              min={0}
              max={100}
              clampBehavior="strict"
              suffix=" %"
            />
          ))}
          <Checkbox
            {...ticked(state.archived === 'only', (checked) => change({ archived: checked ? 'only' : '' }))}
            label={productEdits.onlyArchived}
          />
          <Action label={products.clear} variant="subtle" onClick={reset} disabled={active === 0} />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

/** The library refuses options that occur twice. */
export const names = (nodes: readonly { name: string }[] = []): string[] => [...new Set(nodes.map(({ name }) => name))];

interface ValuesProps {
  values: ValueFilter[];
  attributes: readonly { slug: string; name: string }[];
  onChange(values: ValueFilter[]): void;
}

/** The values that the products have, each of one attribute. */
function Values({ values, attributes, onChange }: ValuesProps) {
  const { productEdits } = useStrings();
  return (
    <Stack gap="xs">
      {values.map((filter, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: filters have no identity, and none moves.
        <Group key={at} gap={4} wrap="nowrap">
          <Select
            aria-label={productEdits.filterAttribute}
            data={attributes.map(({ slug, name }) => ({ value: slug, label: name }))}
            value={filter.slug || null}
            onChange={(slug) => onChange(values.with(at, { ...filter, slug: slug ?? '' }))}
            searchable
            comboboxProps={{ withinPortal: false }}
          />
          <TextInput
            {...typed(filter.value, (value) => onChange(values.with(at, { ...filter, value })))}
            aria-label={productEdits.filterValue}
            maxLength={1024}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={productEdits.removeFilter}
            onClick={() => onChange(values.toSpliced(at, 1))}
          >
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        </Group>
      ))}
      {values.length < 20 && (
        <SmallAction
          label={productEdits.addFilter}
          variant="subtle"
          icon={IconPlus}
          onClick={() => onChange([...values, { slug: '', value: '' }])}
        />
      )}
    </Stack>
  );
}

import { Badge, Checkbox, Popover, Select, Stack, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconFilter } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { graphql } from '../../graph/graphql.ts';
import { useQuery } from '../../graph/use-query.ts';
import { Action } from '../../parts/elements.tsx';
import { NumberField, numberOf } from '../../parts/fields.tsx';
import { useStrings } from '../../strings/strings.tsx';
import type { useFilters } from './filter-state.ts';

const ATTRIBUTES = graphql(`query FilterAttributes { attributes(subject: product) { id slug name } }`);

type Typed = Record<'brand' | 'category' | 'below' | 'incomplete', string>;

/** The text that the user types into the filters. It becomes a filter after a pause in typing. */
function useDraft({ brand, category, below, incomplete }: Typed, change: (typed: Partial<Typed>) => void) {
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
  useEffect(() => setTyped(pending.current), [brand, category, below, incomplete]);
  return { draft: { brand, category, below, incomplete, ...typed }, write, drop };
}

/** The filters of the list behind one button. */
export function Filters({ state, change, clear, active }: ReturnType<typeof useFilters>) {
  const { products, productEdits } = useStrings();
  const [{ data }] = useQuery({ query: ATTRIBUTES });
  const { draft, write, drop } = useDraft(state, change);
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
            maxLength={128}
            value={draft.brand}
            onChange={({ currentTarget: { value } }) => write({ brand: value })}
          />
          <TextInput
            label={products.category}
            maxLength={1024}
            value={draft.category}
            onChange={({ currentTarget: { value } }) => write({ category: value })}
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
            label={productEdits.onlyArchived}
            checked={state.archived === 'only'}
            onChange={({ currentTarget: { checked } }) => change({ archived: checked ? 'only' : '' })}
          />
          <Action label={products.clear} variant="subtle" onClick={reset} disabled={active === 0} />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

import { Anchor, MultiSelect, Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import { graphql } from '../../graph/graphql.ts';
import { useQuery } from '../../graph/use-query.ts';
import { useAddress } from '../../session/organization.tsx';
import { useFormats, useStrings } from '../../strings/strings.tsx';

const SEARCH = graphql(
  `query FindProducts($search: String!) { products(search: $search, limit: 20, orderBy: name, sortOrder: asc) { nodes { id name sku } } }`,
);
const CHOSEN = graphql(
  `query ChosenProducts($ids: [ID!]!) { products(filter: { ids: $ids }, limit: 100) { nodes { id name sku } } }`,
);
/** More products are shown as a number. */
const SHOWN = 20;

interface Props {
  ids: string[];
  onChange(ids: string[]): void;
  error: ReactNode;
}

/** Chooses products by search. Many products are best chosen in the list. */
export function ProductField({ ids, onChange, error }: Props) {
  const { newJob } = useStrings();
  const formats = useFormats();
  const address = useAddress();
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed, 200);
  const many = ids.length > SHOWN;
  const [{ data: found }] = useQuery({ query: SEARCH, variables: { search }, pause: many });
  const [{ data: chosen }] = useQuery({ query: CHOSEN, variables: { ids }, pause: many || ids.length === 0 });
  const known = new Map([...(chosen?.products.nodes ?? []), ...(found?.products.nodes ?? [])].map((each) => [each.id, each]));
  const list = (
    <Anchor component={Link} to={address('products')} size="sm">
      {newJob.chooseInList}
    </Anchor>
  );
  if (many) {
    return (
      <Stack gap={4} align="flex-start">
        {newJob.chosen(ids.length, formats.number(ids.length))}
        {list}
      </Stack>
    );
  }
  return (
    <Stack gap={4} align="stretch">
      <MultiSelect
        label={newJob.products}
        placeholder={newJob.searchProducts}
        data={[...known.values()].map(({ id, name, sku }) => ({ value: id, label: `${name} (${sku})` }))}
        value={ids}
        onChange={onChange}
        searchable
        searchValue={typed}
        onSearchChange={setTyped}
        filter={({ options }) => options}
        error={error}
      />
      {list}
    </Stack>
  );
}

import { Autocomplete, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '../../graph/graph-hooks.ts';
import { BRANDS, CATEGORIES, names } from './filters.tsx';
import { FIELD_LENGTHS, type GridField } from './grid-cells.ts';

interface Props {
  field: GridField;
  label: string;
  value: string;
  onChange(value: string): void;
  error?: string;
}

/** The input of a field in a cell. Brands and categories are suggested. */
export function FieldInput({ field, label, value, onChange, error }: Props) {
  const [search] = useDebouncedValue(value, 200);
  const [{ data: brands }] = useQuery({ query: BRANDS, variables: { search }, pause: field !== 'brand' });
  const [{ data: categories }] = useQuery({ query: CATEGORIES, variables: { search }, pause: field !== 'category' });
  const common = {
    'aria-label': label,
    size: 'xs' as const,
    maxLength: FIELD_LENGTHS[field],
    value,
    error,
    'data-autofocus': true,
  };
  if (field !== 'brand' && field !== 'category')
    return <TextInput {...common} onChange={({ currentTarget }) => onChange(currentTarget.value)} />;
  return <Autocomplete {...common} onChange={onChange} data={names((brands?.brands ?? categories?.categories)?.nodes)} />;
}

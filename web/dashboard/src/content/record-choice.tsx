import { MultiSelect, Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { useQuery } from '../graph/use-query.ts';
import { useOrganization } from '../session/organization.tsx';
import type { Field, Kind, Place } from './kind.ts';
import { authors } from './kinds/authors.ts';
import { categories } from './kinds/categories.ts';
import { collections } from './kinds/collections.ts';
import { itemsOf } from './kinds/items.ts';

const kinds: Partial<Record<string, Kind>> = { authors, categories, collections };
const NO_COLLECTION = itemsOf('', []);

interface Props {
  field: Field;
  place: Place;
  label: string;
  error?: ReactNode;
  disabled?: boolean;
  readOnly?: boolean;
  value: string | string[] | null;
  onChange(value: unknown): void;
}

/** Chooses one or several of the first 100 records of another kind. */
export function RecordChoice({ field, place, value, onChange, ...common }: Props) {
  const { isAdmin } = useOrganization();
  const kind = kinds[field.of ?? ''] ?? NO_COLLECTION;
  const variables = {
    siteId: place.siteId,
    collectionId: field.collectionId ?? place.collectionId,
    status: isAdmin ? ('all' as const) : ('published' as const),
    page: 1,
    limit: 100,
  };
  const [{ data }] = useQuery({ query: kind.list, variables });
  const options = (data?.list.nodes ?? []).map((record) => ({ value: record.id, label: kind.title(record) }));
  const chosen = [value ?? []].flat();
  // A record beyond the first 100 keeps its place.
  const unknown = chosen.filter((id) => id && !options.some((each) => each.value === id)).map((id) => ({ value: id, label: id }));
  const all = data ? [...options, ...unknown] : unknown;
  return field.type === 'records' ? (
    <MultiSelect {...common} searchable clearable data={all} value={chosen} onChange={onChange} />
  ) : (
    <Select {...common} searchable clearable data={all} value={(value as string) || null} onChange={onChange} />
  );
}

import { useMemo } from 'react';
import { useStrings } from '../../strings/strings.tsx';
import { type Definition, useDefinitions } from '../../values/definitions.ts';
import { type Content, isEmpty } from '../../values/format.ts';
import { attributeKey, type Row, slugOf } from './list-columns.tsx';

/** The fields that the grid edits, and their greatest length. */
export const FIELD_LENGTHS = {
  ...{ name: 256, sku: 64, brand: 128, category: 1_024, manufacturer: 256, mpn: 128, uom: 128, externalId: 256 },
} as const;
export type GridField = keyof typeof FIELD_LENGTHS;

export const isGridField = (key: string): key is GridField => Object.hasOwn(FIELD_LENGTHS, key);
/** No product is without them. */
export const isRequired = (key: string): boolean => key === 'name' || key === 'sku';

/** The attributes, and the fields as attributes of the type text, by the keys of their columns. */
export function useCellDefinitions(): ReadonlyMap<string, Definition> {
  const { products } = useStrings();
  const definitions = useDefinitions();
  return useMemo(() => {
    const attributes = [...definitions.values()].map((each) => [attributeKey(each.slug), each] as const);
    const fields = (Object.keys(FIELD_LENGTHS) as GridField[]).map(
      (field) => [field, fieldDefinition(field, products[field])] as const,
    );
    return new Map([...fields, ...attributes]);
  }, [definitions, products]);
}

const fieldDefinition = (field: GridField, name: string): Definition => ({
  ...{ id: field, slug: field, name, type: 'text', options: [], unit: null, isActive: true, labels: new Map() },
});

/** A cell whose value is not the stored one. */
export interface Unsaved {
  value: Content;
  /** A value beyond a limit can be saved all the same. */
  state: 'saving' | 'limit' | 'refused' | 'conflict';
  message?: string;
}

/** The content of a cell as the list has it. */
export function contentOf(row: Row, key: string): Content {
  if (isGridField(key)) return row[key] ?? null;
  return row.listedValues.values[slugOf(key) ?? '']?.value ?? null;
}

/** The content of a cell that an edit replaces. One on its way counts as stored. */
export const shownContent = (row: Row, key: string, unsaved: Unsaved | undefined): Content =>
  unsaved?.state === 'saving' ? unsaved.value : contentOf(row, key);

/** Whether the list has only the beginning of the content. */
export const isCut = (row: Row, key: string): boolean => row.listedValues.cut.includes(slugOf(key) ?? '');

/** A pasted text as a field. Line breaks become spaces. */
export const fieldText = (cell: string): string | null => cell.trim().replace(/\s*[\r\n]+\s*/g, ' ') || null;

/** Whether a field cannot have this text, because it is missing or too long. */
export function faultOf(key: GridField, text: Content): 'missing' | 'long' | undefined {
  if (isEmpty(text)) return isRequired(key) ? 'missing' : undefined;
  return String(text).length > FIELD_LENGTHS[key] ? 'long' : undefined;
}

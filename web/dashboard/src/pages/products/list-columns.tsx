import { useMemo } from 'react';
import type { ProductListQuery } from '../../../.graph/graphql.ts';
import { type Column, PathCell, useIsWide } from '../../parts/data-table.tsx';
import { PageLink, Tag } from '../../parts/elements.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { type Definition, useDefinitions } from '../../values/definitions.ts';
import { formatValue } from '../../values/format.ts';
import { copiedText } from './cell-block.ts';

export type Row = ProductListQuery['products']['nodes'][number];
type Listed = Row['listedValues']['values'][string];

/** The columns besides the name and the attributes, in the order of the choice. */
export const FIELDS = [
  ...(['sku', 'brand', 'category', 'state', 'completeness', 'updatedAt'] as const),
  ...(['manufacturer', 'mpn', 'uom', 'externalId', 'createdAt'] as const),
];
export type Field = (typeof FIELDS)[number];
/** The columns until the reader chooses others. */
const USUAL: readonly string[] = FIELDS.slice(0, 6);
/** The server reads the values of at most so many attributes. */
export const MAX_ATTRIBUTES = 30;
/** Chosen columns that a phone shows beside the name, and their width. */
const [ON_PHONE, PHONE_WIDTH] = [2, 88];
const WIDTHS = { sku: 110, brand: 115, category: 160, state: 110, completeness: 110, updatedAt: 130, attribute: 150 };
/** The least width of the column of names, on wide screens and on phones, and the width of the boxes before it. */
export const NAME_WIDTH = 260;
const [PHONE_NAME_WIDTH, SELECTION] = [130, 44];

const ATTRIBUTE = '@';
export const attributeKey = (slug: string): string => ATTRIBUTE + slug;
export const slugOf = (key: string): string | undefined => (key.startsWith(ATTRIBUTE) ? key.slice(ATTRIBUTE.length) : undefined);
const isField = (key: string): key is Field => (FIELDS as readonly string[]).includes(key);

/** The chosen columns of the address; the usual ones if it names none. Anybody may write an address. */
export function columnKeys(text: string): string[] {
  if (text === '') return [...USUAL];
  const keys = [...new Set(text.split(','))].filter((key) => isField(key) || (slugOf(key) ?? '').length > 0);
  const attributes = keys.filter(slugOf).slice(0, MAX_ATTRIBUTES);
  return keys.filter((key) => !slugOf(key) || attributes.includes(key));
}

/** Chosen columns for the address. A list without columns names that of the names, which is always there. */
export function columnText(keys: readonly string[]): string {
  const text = keys.join(',') || 'name';
  return text === USUAL.join(',') ? '' : text;
}

/** The slugs of the attributes among the columns. */
export const columnSlugs = (keys: readonly string[]): string[] => keys.flatMap((key) => slugOf(key) ?? []);

/** A value in one line, as a table shows it. */
export function useValueText(): (value: Listed | undefined, definition?: Definition, isCut?: boolean) => string {
  const strings = useStrings();
  return (value, definition, isCut = false) => {
    if (!value || (value.value === null && !isCut)) return '';
    const text = formatValue(value.value, value.attributeType, strings, definition);
    const plain = value.attributeType === 'html' ? text.replace(/<[^<>]*>/g, ' ') : text;
    return isCut ? `${value.value === null ? '' : plain}…` : plain;
  };
}

/** The text of a cell for a spreadsheet, with the decimal mark of the reader. */
export function useCopiedText(): (row: Row | undefined, column: Column<Row>) => string {
  const { values, formats } = useStrings();
  return (row, { key }) => {
    if (!row) return '';
    const slug = slugOf(key);
    if (slug !== undefined) return copiedText(row.listedValues.values[slug]?.value, values, formats.value(0.5).charAt(1));
    const value = key === 'completeness' ? row.completeness.percent : row[key as keyof Row];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  };
}

/** The name of each column that can be chosen, in the language of the reader. */
export function useColumnNames(): (key: string) => string {
  const { products, terms } = useStrings();
  const definitions = useDefinitions();
  const fields: Record<Field, string> = { ...products, updatedAt: terms.changed, createdAt: terms.created };
  return (key) => (isField(key) ? fields[key] : (definitions.get(slugOf(key)!)?.name ?? slugOf(key)!));
}

/**
 * The columns of the table, and its least width if they need more room than the page.
 * @param isGrid all columns have widths, and none is hidden on a narrow screen
 */
export function useColumns(text: string, isGrid: boolean): { columns: Column<Row>[]; minWidth?: number } {
  const { products, formats } = useStrings();
  const definitions = useDefinitions();
  const isWide = useIsWide();
  const nameOf = useColumnNames();
  const textOf = useValueText();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the functions depend on the language and the definitions alone.
  return useMemo(() => {
    const keys = columnKeys(text).filter((key) => !slugOf(key) || definitions.size === 0 || definitions.has(slugOf(key)!));
    const isUsual = text === '' && !isGrid;
    const isNarrow = !isUsual && !isWide && !isGrid;
    const shown = !isNarrow ? keys : keys.slice(0, ON_PHONE);
    const fields: Record<Field, Omit<Column<Row>, 'key' | 'title'>> = {
      sku: { sortable: true, width: WIDTHS.sku, cell: ({ sku }) => sku },
      brand: { sortable: true, from: 'sm', width: WIDTHS.brand, cell: ({ brand }) => brand },
      category: { from: 'lg', width: WIDTHS.category, cell: ({ category }) => <PathCell path={category} /> },
      state: { from: 'sm', width: WIDTHS.state, cell: (row) => <State row={row} /> },
      completeness: {
        sortable: true,
        from: 'md',
        width: WIDTHS.completeness,
        cell: ({ completeness: { percent } }) =>
          percent === null || percent === undefined ? null : formats.percent(percent / 100),
      },
      updatedAt: { sortable: true, from: 'md', width: WIDTHS.updatedAt, cell: ({ updatedAt }) => formats.ago(updatedAt) },
      manufacturer: { width: WIDTHS.brand, cell: ({ manufacturer }) => manufacturer },
      mpn: { width: WIDTHS.brand, cell: ({ mpn }) => mpn },
      uom: { width: WIDTHS.sku, cell: ({ uom }) => uom },
      externalId: { width: WIDTHS.brand, cell: ({ externalId }) => externalId },
      createdAt: { width: WIDTHS.updatedAt, cell: ({ createdAt }) => formats.ago(createdAt) },
    };
    const columnOf = (key: string): Column<Row> => {
      const slug = slugOf(key);
      if (slug === undefined) {
        const { from, ...field } = fields[key as Field];
        return { key, title: nameOf(key), ...field, ...(isUsual && { from }) };
      }
      const definition = definitions.get(slug);
      return {
        key,
        title: nameOf(key),
        width: WIDTHS.attribute,
        align: definition?.type === 'number' ? 'right' : undefined,
        cell: ({ listedValues: { values, cut } }) => textOf(values[slug], definition, cut.includes(slug)),
      };
    };
    const chosen = shown.map((key) => ({ ...columnOf(key), ...(isNarrow && { width: PHONE_WIDTH }) }));
    const name: Column<Row> = {
      key: 'name',
      title: products.name,
      sortable: true,
      pinned: !isUsual && isWide,
      cell: ({ id, name }) => <PageLink to={`products/${id}`} label={name} />,
    };
    const columns = [name, ...chosen];
    const minWidth =
      isUsual || isNarrow
        ? undefined
        : chosen.reduce((sum, { width = 0 }) => sum + width, SELECTION + (isWide ? NAME_WIDTH : PHONE_NAME_WIDTH));
    return { columns, minWidth };
  }, [text, products, formats, definitions, isWide, isGrid]);
}

function State({ row: { enriched, isParent, archived } }: { row: Row }) {
  const { products, productEdits } = useStrings();
  if (archived) return <Tag label={productEdits.archived} color="orange" />;
  if (isParent) return <Tag label={products.families.parent} color="grape" />;
  return (
    <Tag
      label={enriched ? products.enrichments.enriched : products.enrichments['not-enriched']}
      color={enriched ? 'teal' : 'gray'}
    />
  );
}

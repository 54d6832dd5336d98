import { type KeyboardEvent, useMemo, useState } from 'react';
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

/** A cell by its row in the list and its column in the grid. */
export interface Place {
  row: number;
  column: number;
}

/** A block of cells; all bounds are part of it. */
export interface Range {
  top: number;
  bottom: number;
  left: number;
  right: number;
}

export function* placesOf({ top, bottom, left, right }: Range): Generator<Place> {
  for (let row = top; row <= bottom; row++) for (let column = left; column <= right; column++) yield { row, column };
}

const START: Place = { row: 0, column: 1 };

/**
 * The active cell of a grid and the block between it and an anchor.
 * @param show brings a cell into view
 */
export function useSelection(rowCount: number, columnCount: number, show: (place: Place) => void) {
  const [head, setHead] = useState(START);
  const [anchor, setAnchor] = useState(START);
  const within = ({ row, column }: Place): Place => ({
    row: Math.max(0, Math.min(row, rowCount - 1)),
    column: Math.max(0, Math.min(column, columnCount - 1)),
  });
  // Rows and columns may have become fewer.
  const [active, other] = [within(head), within(anchor)];
  const range: Range = {
    top: Math.min(active.row, other.row),
    bottom: Math.max(active.row, other.row),
    left: Math.min(active.column, other.column),
    right: Math.max(active.column, other.column),
  };
  const isBlock = range.top !== range.bottom || range.left !== range.right;

  function moveTo(place: Place, isExtended = false) {
    const next = within(place);
    if (!isExtended) setAnchor(next);
    setHead(next);
    show(next);
  }
  const moveBy = (rows: number, columns: number, isExtended = false) =>
    moveTo({ row: active.row + rows, column: active.column + columns }, isExtended);

  /** Go to the next cell or the one before, row by row. Returns false at the end of the grid. */
  function step(by: 1 | -1): boolean {
    const at = active.row * columnCount + active.column + by;
    if (at < 0 || at >= rowCount * columnCount) return false;
    moveTo({ row: Math.floor(at / columnCount), column: at % columnCount });
    return true;
  }

  /** Moves by arrow keys, Home, End and page keys; with Shift, it extends the block. Returns false for other keys. */
  function onKey({ key, shiftKey, ctrlKey, metaKey }: KeyboardEvent, visible: { startIndex: number; endIndex: number } | null) {
    const isFar = ctrlKey || metaKey;
    const [lastRow, lastColumn] = [rowCount - 1, columnCount - 1];
    const page = Math.max(1, visible ? visible.endIndex - visible.startIndex - 1 : 10);
    const { row, column } = active;
    const places: Record<string, Place> = {
      ArrowUp: { row: isFar ? 0 : row - 1, column },
      ArrowDown: { row: isFar ? lastRow : row + 1, column },
      ArrowLeft: { row, column: isFar ? 0 : column - 1 },
      ArrowRight: { row, column: isFar ? lastColumn : column + 1 },
      Home: { row: isFar ? 0 : row, column: 0 },
      End: { row: isFar ? lastRow : row, column: lastColumn },
      PageUp: { row: row - page, column },
      PageDown: { row: row + page, column },
    };
    const place = places[key];
    if (!place) return false;
    moveTo(place, shiftKey);
    return true;
  }
  return { active, range, isBlock, moveTo, moveBy, step, onKey, collapse: () => setAnchor(active) };
}

import { type KeyboardEvent, useState } from 'react';
import type { Place } from './value-cell.tsx';

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

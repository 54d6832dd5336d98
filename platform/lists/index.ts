/** Lists with a bounded size: pages, cursors, totals and selected columns. */
export { columnReader } from './column.ts';
export { containing } from './containing.ts';
export {
  type CursorPage,
  CursorPageOf,
  type CursorRequest,
  cursorArguments,
  listByCursor,
  listParts,
  listSlice,
  type OrderedRows,
  readParts,
} from './cursor.ts';
export { countLists, ListSize } from './list-size.ts';
export { childPage, listPage, type Page, PageOf, type PageRequest, pageArguments, paginate } from './page.ts';
export { RowCount, sizeOf } from './row-counts.ts';
export { type ListOrder, type Located, locatePage } from './runs/locate.ts';
export { createRuns } from './runs/sql.ts';
export { isSelected } from './selection.ts';
export { totalAt } from './totals.ts';

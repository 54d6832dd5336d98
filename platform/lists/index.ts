/** Lists with a bounded size: pages, cursors, totals and selected columns. */

export {
  type CursorPage,
  CursorPageOf,
  type CursorRequest,
  cursorArguments,
  FEED_CURSOR,
  type FeedCursor,
  listByCursor,
  listParts,
  listSlice,
  type OrderedRows,
  readCursor,
  readFeedCursor,
  readParts,
  writeCursor,
  writeFeedCursor,
} from './cursor.ts';
export { countLists, ListSize, RowCount, sizeOf, totalAt } from './list-size.ts';
export { childPage, containing, type ListPage, listPage, PageOf, type PageRequest, pageArguments, paginate } from './page.ts';
export { type ListOrder, locatePage, type PageStart } from './page-index.ts';
export { createPageIndex } from './page-index-sql.ts';
export { columnReader, isSelected } from './selected-columns.ts';

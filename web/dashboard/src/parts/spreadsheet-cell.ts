/** Characters that make a spreadsheet treat a cell as a formula. */
const FORMULA = /^[=+\-@＝＋－＠\t\r\n]/;

/** The text of a cell that no spreadsheet runs as a formula. Imports remove the apostrophe. */
export const spreadsheetCell = (cell: string): string => (FORMULA.test(cell) && Number.isNaN(Number(cell)) ? `'${cell}` : cell);

/** Milliseconds in which a browser starts the download. */
const DOWNLOAD = 60_000;

/** Download a file that this page made of its parts. */
export function saveFile(name: string, parts: BlobPart[], type: string): void {
  const url = URL.createObjectURL(new Blob(parts, { type }));
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), DOWNLOAD);
}

/** Write rows to a CSV file of the reader. Texts that a spreadsheet would run as formulas get an apostrophe. */
export async function saveCsv(name: string, columns: string[], rows: string[][]): Promise<void> {
  const { stringify } = await import('csv-stringify/browser/esm/sync');
  const text = stringify(
    [columns, ...rows].map((row) => row.map(spreadsheetCell)),
    { bom: true },
  );
  saveFile(name, [text], 'text/csv;charset=utf-8');
}

/** Characters that make a spreadsheet treat a cell as a formula. */
const FORMULA = /^[=+\-@＝＋－＠\t\r\n]/;

/** The text of a cell that no spreadsheet runs as a formula. Imports remove the apostrophe. */
export const spreadsheetCell = (cell: string): string => (FORMULA.test(cell) && Number.isNaN(Number(cell)) ? `'${cell}` : cell);

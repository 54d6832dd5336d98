/** Characters that make a spreadsheet treat a cell as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** Write rows to a CSV file of the reader. Texts that a spreadsheet would run as formulas get an apostrophe. */
export async function saveCsv(name: string, columns: string[], rows: string[][]): Promise<void> {
  const { stringify } = await import('csv-stringify/browser/esm/sync');
  const safe = (cell: string) => (FORMULA.test(cell) && Number.isNaN(Number(cell)) ? `'${cell}` : cell);
  const text = stringify([columns, ...rows.map((row) => row.map(safe))], { bom: true });
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
}

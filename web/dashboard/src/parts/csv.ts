import { saveFile } from './save-file.ts';

/** Characters that make a spreadsheet treat a cell as a formula. */
const FORMULA = /^[=+\-@＝＋－＠\t\r\n]/;

/** Write rows to a CSV file of the reader. Texts that a spreadsheet would run as formulas get an apostrophe. */
export async function saveCsv(name: string, columns: string[], rows: string[][]): Promise<void> {
  const { stringify } = await import('csv-stringify/browser/esm/sync');
  const safe = (cell: string) => (FORMULA.test(cell) && Number.isNaN(Number(cell)) ? `'${cell}` : cell);
  const text = stringify(
    [columns, ...rows].map((row) => row.map(safe)),
    { bom: true },
  );
  saveFile(name, [text], 'text/csv;charset=utf-8');
}

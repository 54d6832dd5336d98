import { read, utils } from '@e965/xlsx';
import { FileFault, type FilePage, tablePages } from '../file-pages.ts';

/** Reads the sheets of a legacy XLS workbook. */
export function readXls(bytes: Buffer): FilePage[] {
  const { SheetNames, Sheets } = readWorkbook(bytes);
  // Otherwise a date is midnight in the time zone of the process, which is another day in UTC.
  const options = { header: 1, defval: '', UTC: true } as const;
  return SheetNames.flatMap((name) => {
    const sheet = Sheets[name]!;
    const above = sheet['!ref'] ? utils.decode_range(sheet['!ref']).s.r : 0;
    return tablePages(name, utils.sheet_to_json<unknown[]>(sheet, options), (index) => above + index + 1);
  });
}

function readWorkbook(bytes: Buffer) {
  try {
    return read(bytes, { type: 'buffer', dense: true, cellDates: true, cellFormula: false, cellHTML: false, sheetRows: 60_000 });
  } catch (cause) {
    throw new FileFault('the workbook cannot be read', { cause });
  }
}

import { read, utils } from '@e965/xlsx';
import { FileFault, type FilePage, tablePages } from '../pages.ts';

/** Reads the sheets of a legacy XLS workbook. */
export function readXls(bytes: Buffer): FilePage[] {
  const { SheetNames, Sheets } = readWorkbook(bytes);
  return SheetNames.flatMap((name) => tablePages(name, utils.sheet_to_json<unknown[]>(Sheets[name]!, { header: 1, defval: '' })));
}

function readWorkbook(bytes: Buffer) {
  try {
    return read(bytes, { type: 'buffer', dense: true, cellDates: true, cellFormula: false, cellHTML: false, sheetRows: 60_000 });
  } catch (cause) {
    throw new FileFault('the workbook cannot be read', { cause });
  }
}

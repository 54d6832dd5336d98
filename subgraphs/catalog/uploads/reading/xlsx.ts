import readXlsxFile from 'read-excel-file/node';
import { FileFault, type FilePage, tablePages } from '../file-pages.ts';
import { checkArchiveSize } from './archive-size.ts';

/** Reads the sheets of an XLSX workbook. */
export async function readXlsx(bytes: Buffer): Promise<FilePage[]> {
  await checkArchiveSize(bytes);
  const sheets = await readXlsxFile(bytes).catch((cause: unknown) => {
    throw new FileFault('the workbook cannot be read', { cause });
  });
  return sheets.flatMap(({ sheet, data }) => tablePages(sheet, data));
}

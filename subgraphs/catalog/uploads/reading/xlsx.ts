import readXlsxFile from 'read-excel-file/node';
import { unpack } from '../../../../platform/reading/unzip.ts';
import { FileFault, type FilePage, tablePages } from '../file-pages.ts';

/** Reads the sheets of an XLSX workbook. */
export async function readXlsx(bytes: Buffer): Promise<FilePage[]> {
  // The reader below would unpack a bomb.
  for await (const _ of unpack(bytes, 'the workbook'));
  const sheets = await readXlsxFile(bytes).catch((cause: unknown) => {
    throw new FileFault('the workbook cannot be read', { cause });
  });
  return sheets.flatMap(({ sheet, data }) => tablePages(sheet, data));
}

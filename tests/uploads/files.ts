import { utils, write } from '@e965/xlsx';
import type { Catalog } from '../catalog/catalog.ts';
import { type Sent, sendFiles } from '../support/form.ts';

export type { Sent };

export const types = {
  csv: 'text/csv',
  pdf: 'application/pdf',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xls: 'application/vnd.ms-excel',
  png: 'image/png',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
};

export const csv = (content: string, name = 'list.csv'): Sent => ({ name, type: types.csv, content });

export function workbook(rows: unknown[][], type: 'xlsx' | 'xls' = 'xlsx'): Sent {
  const book = utils.book_new();
  utils.book_append_sheet(book, utils.aoa_to_sheet(rows), 'Products');
  return { name: `list.${type}`, type: types[type], content: write(book, { type: 'buffer', bookType: type }) };
}

/** A PDF of one page with optional lines of text. */
export function pdf(lines: string[]): Sent {
  const shown = lines.map((line) => `(${line.replace(/[\\()]/g, '\\$&')}) Tj 0 -16 Td`).join(' ');
  return pdfOf([stream(`BT /F1 12 Tf 50 700 Td ${shown} ET`)]);
}

export const stream = (content: string, entries = '') =>
  `<< ${entries} /Length ${content.length} >>\nstream\n${content}\nendstream`;
/** Resources of a page in `pdfOf`: a font, and the object with this number as image X. */
export const resources = (picture = 5) => `/Resources << /Font << /F1 4 0 R >> /XObject << /X ${picture} 0 R >> >>`;

/** A PDF of one page. The first object is the page content with number 5; others follow. */
export function pdfOf(shown: string[]): Sent {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R ${resources(6)} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...shown,
  ];
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, at) => {
    const offset = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return String(offset).padStart(10, '0');
  });
  const start = text.length;
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.map((offset) => `${offset} 00000 n \n`).join('')}`;
  text += `trailer << /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF`;
  return { name: 'sheet.pdf', type: types.pdf, content: Buffer.from(text, 'latin1') };
}

const image = (name: string, type: string, base64: string): Sent => ({ name, type, content: Buffer.from(base64, 'base64') });

/** One red pixel. */
export const png = image(
  'pixel.png',
  types.png,
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
);

/** Eight red pixels by eight, as a browser encodes them. */
export const jpeg = image(
  'square.jpg',
  types.jpeg,
  '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAFA3PEY8MlBGQUZaVVBfeMiCeG5uePWvuZHI////////////////////////////////////////////////////' +
    '2wBDAVVaWnhpeOuCguv/////////////////////////////////////////////////////////////////////////wAARCAAIAAgDASIAAhEBAxEB/8QA' +
    'FQABAQAAAAAAAAAAAAAAAAAAAAP/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAAAgT/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oA' +
    'DAMBAAIRAxEAPwCAAKn/2Q==',
);
export const webp = image(
  'square.webp',
  types.webp,
  'UklGRjQAAABXRUJQVlA4ICgAAABwAQCdASoIAAgAB0CWJaACdAFAAAD+6WkRiw8Nr/+CC/EH6g1AAAAA',
);

/** Send a form to the catalog process. `path` is relative to the organization. */
export const sendForm = (
  { organization: { slug, key }, url }: Catalog,
  path: string,
  files: Sent[],
  fields: Record<string, string> = {},
) => sendFiles({ slug, key, url }, path, files, { fields });

export const upload = (catalog: Catalog, ...files: Sent[]) => sendForm(catalog, '/enrichment-files/upload', files);

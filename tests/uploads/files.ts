import { utils, write } from '@e965/xlsx';
import type { Catalog } from '../catalog/catalog.ts';

export const types = {
  csv: 'text/csv',
  pdf: 'application/pdf',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xls: 'application/vnd.ms-excel',
  png: 'image/png',
};

export interface Sent {
  name: string;
  type: string;
  content: string | Buffer;
}

export const csv = (content: string, name = 'list.csv'): Sent => ({ name, type: types.csv, content });

export function workbook(rows: unknown[][], type: 'xlsx' | 'xls' = 'xlsx'): Sent {
  const book = utils.book_new();
  utils.book_append_sheet(book, utils.aoa_to_sheet(rows), 'Products');
  return { name: `list.${type}`, type: types[type], content: write(book, { type: 'buffer', bookType: type }) };
}

/** A PDF of one page, with these lines of text on it or none. */
export function pdf(lines: string[]): Sent {
  const shown = lines.map((line) => `(${line.replace(/[\\()]/g, '\\$&')}) Tj 0 -16 Td`).join(' ');
  const stream = `BT /F1 12 Tf 50 700 Td ${shown} ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, at) => {
    const offset = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return String(offset).padStart(10, '0');
  });
  const start = text.length;
  text += `xref\n0 6\n0000000000 65535 f \n${offsets.map((offset) => `${offset} 00000 n \n`).join('')}`;
  text += `trailer << /Size 6 /Root 1 0 R >>\nstartxref\n${start}\n%%EOF`;
  return { name: 'sheet.pdf', type: types.pdf, content: Buffer.from(text, 'latin1') };
}

/** One red pixel. */
export const png: Sent = {
  name: 'pixel.png',
  type: types.png,
  content: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
    'base64',
  ),
};

/** Send a form as a browser does. */
export async function sendForm(
  { organization: { id, key } }: Catalog,
  path: string,
  files: Sent[],
  fields: Record<string, string> = {},
) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const { name, type, content } of files) form.append('files', new Blob([new Uint8Array(bytesOf(content))], { type }), name);
  const response = await fetch(`${process.env.TEST_URL}/api/${id}${path}`, {
    method: 'POST',
    headers: { 'x-api-key': key },
    body: form,
  });
  return { status: response.status, body: await response.json() };
}

export const upload = (catalog: Catalog, ...files: Sent[]) => sendForm(catalog, '/enrichment-files/upload', files);

const bytesOf = (content: string | Buffer) => (typeof content === 'string' ? Buffer.from(content) : content);

import { deflateRawSync, deflateSync } from 'node:zlib';
import { pdfOf, resources, stream } from './files.ts';

/** A PDF of a few kilobytes that repeats a text 10^depth times. */
export function nestedPdf(depth: number, text: string) {
  const form = (content: string, next: number) =>
    stream(content, `/Type /XObject /Subtype /Form /BBox [0 0 612 792] ${resources(next)}`);
  const forms = Array.from({ length: depth }, (_, at) => form('/X Do '.repeat(10), at + 7));
  return pdfOf([stream('/X Do'), ...forms, form(`BT /F1 12 Tf 50 700 Td (${text}) Tj ET`, 0)]);
}

interface Part {
  name: string;
  data: Buffer | string;
  /** The size that the archive states for it. */
  stated?: number;
}

/** A zip archive. */
export function archiveOf(parts: readonly Part[]): Buffer {
  const locals: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const { name, data, stated = data.length } of parts) {
    const packed = deflateRawSync(data);
    const head = Buffer.alloc(26);
    head.writeUInt16LE(20, 0);
    head.writeUInt16LE(8, 4);
    head.writeUInt32LE(packed.length, 14);
    head.writeUInt32LE(stated, 18);
    head.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), head, Buffer.from(name), packed]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    entries.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), head, place, Buffer.from(name)]));
    locals.push(local);
    offset += local.length;
  }
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(Buffer.concat(entries).length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, ...entries, end]);
}

/** An archive whose second entry declares a false small size. */
export const zipBomb = (): Buffer =>
  archiveOf([
    {
      name: '[Content_Types].xml',
      data: '<Types><Override ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>',
    },
    { name: 'xl/workbook.xml', data: Buffer.alloc(80 * 1024 * 1024, ' '), stated: 1_000 },
  ]);

/** A PDF of a few kilobytes whose doubly compressed page unpacks to this many bytes. */
export function inflatingPdf(bytes: number) {
  const twice = deflateSync(deflateSync(Buffer.alloc(bytes, ' '), { level: 1 })).toString('latin1');
  return pdfOf([stream(twice, '/Filter [/FlateDecode /FlateDecode]')]);
}

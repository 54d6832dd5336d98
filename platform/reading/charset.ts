import { storable } from '../../schema/text.ts';

const byMark: [mark: number[], charset: string][] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
];

/** Decode text by byte order mark, else the `Content-Type`, else a `<meta>` tag at the top, else UTF-8. */
export function decodeText(bytes: Buffer, contentType: string): string {
  const marked = byMark.find(([mark]) => mark.every((byte, at) => bytes[at] === byte))?.[1];
  const named = /charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType)?.[1];
  return storable(decoder(marked ?? named ?? declared(bytes)).decode(bytes));
}

function declared(bytes: Buffer): string | undefined {
  const top = bytes.toString('latin1', 0, 4096);
  const charset = /<meta\s[^<>]{0,200}?charset\s{0,9}=\s{0,9}["']?([^\s"'>;/]+)/i.exec(top)?.[1];
  // A tag that is readable as single bytes cannot be UTF-16.
  return charset && /^utf-?16/i.test(charset) ? 'utf-8' : charset;
}

function decoder(charset = 'utf-8') {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

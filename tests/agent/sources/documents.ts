import { archiveOf } from '../../uploads/hostile.ts';

const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml';
const NAMESPACE = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';

/** The styles of a German Word: the ids are translated, the names are not. */
const STYLES = `
  <w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style>
  <w:style w:type="paragraph" w:styleId="Kapitel"><w:name w:val="Kapitel"/><w:basedOn w:val="berschrift1"/></w:style>
  <w:style w:type="paragraph" w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style>
  <w:style w:type="paragraph" w:styleId="Verzeichnis1"><w:name w:val="toc 1"/></w:style>`;

/** A Word document with this body, in XML. */
export const docx = (body: string, footnotes = ''): Buffer =>
  archiveOf([
    {
      name: '[Content_Types].xml',
      data: `<?xml version="1.0"?><Types><Override PartName="/word/document.xml" ContentType="${WORD}.document.main+xml"/>
        <Override PartName="/word/styles.xml" ContentType="${WORD}.styles+xml"/>
        <Override PartName="/word/footnotes.xml" ContentType="${WORD}.footnotes+xml"/></Types>`,
    },
    { name: 'word/document.xml', data: `<w:document ${NAMESPACE}><w:body>${body}</w:body></w:document>` },
    { name: 'word/styles.xml', data: `<w:styles ${NAMESPACE}>${STYLES}</w:styles>` },
    { name: 'word/footnotes.xml', data: `<w:footnotes ${NAMESPACE}>${footnotes}</w:footnotes>` },
  ]);

/** A paragraph of a Word document. */
export const paragraph = (text: string, style?: string): string =>
  `<w:p><w:pPr>${style ? `<w:pStyle w:val="${style}"/>` : ''}</w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;

/** A line of a page: its text, and the size of its font. */
export type PageLine = string | [text: string, size: number];

/** A PDF with these pages. An empty page has no text, as a scanned one. */
export function pdf(pages: readonly (readonly PageLine[])[]): Buffer {
  const first = 4;
  const kids = pages.map((_, at) => `${first + 2 * at} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages.flatMap((lines, at) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${first + 2 * at + 1} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      contentOf(lines),
    ]),
  ];
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, at) => {
    const offset = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const start = text.length;
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}trailer << /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF`;
  return Buffer.from(text, 'latin1');
}

function contentOf(lines: readonly PageLine[]): string {
  let y = 750;
  const shown = lines.map((line) => {
    const [text, size] = typeof line === 'string' ? [line, 11] : line;
    // An empty line parts paragraphs.
    y -= Math.ceil(size * 1.3);
    return `BT /F1 ${size} Tf 1 0 0 1 50 ${y} Tm (${text.replace(/[\\()]/g, '\\$&')}) Tj ET`;
  });
  const content = shown.join('\n');
  return `<< /Length ${content.length} >>\nstream\n${content}\nendstream`;
}

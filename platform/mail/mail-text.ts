import { escapeMarkup } from '../../schema/text.ts';

/** Plain HTML of a text: paragraphs and line breaks. All markup in it is escaped. */
export function htmlOf(text: string): string {
  const paragraphs = escapeMarkup(text)
    .split(/\n{2,}/)
    .map((each) => `<p>${each.replaceAll('\n', '<br>')}</p>`);
  return `<!doctype html><html><body>${paragraphs.join('')}</body></html>`;
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Plain HTML of a text: paragraphs and line breaks. All markup in it is escaped. */
export function htmlOf(text: string): string {
  const escaped = text.replace(/[&<>"']/g, (each) => ESCAPES[each]!);
  const paragraphs = escaped.split(/\n{2,}/).map((each) => `<p>${each.replaceAll('\n', '<br>')}</p>`);
  return `<!doctype html><html><body>${paragraphs.join('')}</body></html>`;
}

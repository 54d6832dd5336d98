/**
 * Headers of one connection, and an encoding that no client decodes. A caller that could set them would change where a request ends.
 */
export const transportHeaders: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** Headers that the client sets itself. */
const reserved = new Set([...transportHeaders, 'accept', 'content-type', 'host']);
const validName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const validValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Write headers as lines, without the reserved ones. Throws for a name or value that HTTP does not allow. */
export function headerLines(headers: Readonly<Record<string, string | undefined>>): string {
  let lines = '';
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || reserved.has(name.toLowerCase())) continue;
    if (!validName.test(name) || !validValue.test(value)) throw new Error(`The header ${JSON.stringify(name)} cannot be sent`);
    lines += `${name}: ${value}\r\n`;
  }
  return lines;
}

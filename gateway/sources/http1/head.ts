/** The head of a response, as far as the client uses it. */
export interface ResponseHead {
  status: number;
  cacheControl?: string;
  /** Bytes of the body; `chunked`, or until the server closes the connection. */
  body: number | 'chunked' | 'close';
  /** Milliseconds that the server keeps the idle connection open; 0 if it closes it, undefined if it does not say. */
  keepAliveMs?: number;
}

const statusLine = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: |\r|$)/;
/** A line break that is not CRLF, NUL, or a line that does not start with a name and a colon. */
const ambiguous = /\r(?!\n)|(?:^|[^\r])\n|\0|\n(?![!#$%&'*+.^_`|~0-9A-Za-z-]+:)/;
/** First letters of the names that the client reads, in lower case. */
const [C, K, T] = [0x63, 0x6b, 0x74];

/** Parse the head of a response, without its empty line. Throws if the end of the body would be ambiguous. */
export function parseHead(text: string): ResponseHead {
  if (ambiguous.test(text)) throw new Error('The response has an invalid header');
  const [, minor, digits] = statusLine.exec(text.slice(0, 16)) ?? [];
  if (digits === undefined) throw new Error('The response is not HTTP/1.1');
  const head: ResponseHead = { status: Number(digits), cacheControl: undefined, body: 'close', keepAliveMs: undefined };
  const fields: Fields = { length: undefined, isChunked: false, closes: minor === '0' };

  for (let start = lineAfter(text, 0); start < text.length; ) {
    const next = lineAfter(text, start);
    const letter = text.charCodeAt(start) | 0x20;
    if (letter === C || letter === K || letter === T)
      readField(text.slice(start, text.endsWith('\r\n', next) ? next - 2 : next), fields, head);
    start = next;
  }

  const { length, isChunked, closes } = fields;
  if (isChunked && length !== undefined) throw new Error('The response has two lengths');
  if (head.status === 204 || head.status === 304) head.body = 0;
  else if (isChunked) head.body = 'chunked';
  else if (length !== undefined) head.body = length;
  // A body that the server sends anyway would be read as the next response.
  if (closes || head.body === 'close' || head.status === 204 || head.status === 304) head.keepAliveMs = 0;
  return head;
}

interface Fields {
  length: number | undefined;
  isChunked: boolean;
  closes: boolean;
}

function lineAfter(text: string, from: number): number {
  const end = text.indexOf('\r\n', from);
  return end === -1 ? text.length : end + 2;
}

function readField(line: string, fields: Fields, head: ResponseHead): void {
  const colon = line.indexOf(':');
  const value = withoutBlanks(line.slice(colon + 1));
  switch (line.slice(0, colon).toLowerCase()) {
    case 'content-length': {
      const length = /^\d{1,15}$/.test(value) ? Number(value) : undefined;
      if (length === undefined || (fields.length !== undefined && fields.length !== length))
        throw new Error('The response has no valid length');
      fields.length = length;
      break;
    }
    case 'transfer-encoding':
      if (fields.isChunked || value.toLowerCase() !== 'chunked') throw new Error('The response has an unknown encoding');
      fields.isChunked = true;
      break;
    case 'connection':
      fields.closes ||= value.split(',').some((option) => option.trim().toLowerCase() === 'close');
      break;
    case 'keep-alive': {
      const seconds = /\btimeout=(\d{1,6})/i.exec(value)?.[1];
      if (seconds !== undefined) head.keepAliveMs = Number(seconds) * 1_000;
      break;
    }
    case 'cache-control':
      head.cacheControl = head.cacheControl === undefined ? value : `${head.cacheControl}, ${value}`;
      break;
  }
}

/** Unlike `trim`, keeps all characters that are not blanks of HTTP. */
function withoutBlanks(text: string): string {
  const isBlank = (at: number) => text[at] === ' ' || text[at] === '\t';
  let [start, end] = [0, text.length];
  while (start < end && isBlank(start)) start += 1;
  while (end > start && isBlank(end - 1)) end -= 1;
  return text.slice(start, end);
}

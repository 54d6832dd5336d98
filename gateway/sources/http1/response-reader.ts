const headEnd = Buffer.from('\r\n\r\n');
const maxHeadBytes = 16_384;

/** Reads one response from the bytes of a connection. Every method throws for a response that is not valid. */
export class ResponseReader {
  head?: ResponseHead;
  /** Whether bytes follow the response. The connection is then not usable for the next request. */
  hasExcess = false;
  private pending?: Buffer;
  /** The first part of the body, which usually is the whole, or a copy of all parts. */
  private body: Buffer = Buffer.alloc(0);
  private ownsBody = false;
  private length = 0;
  private wireBytes = 0;
  private chunks?: ChunkDecoder;

  constructor(private readonly maxBytes: number) {}

  /** Read the next bytes. Returns whether the response is complete. */
  read(bytes: Buffer): boolean {
    this.wireBytes += bytes.length;
    if (this.wireBytes > 2 * this.maxBytes) throw new Error('The response is too long');
    if (!this.head) return this.readHead(this.pending ? Buffer.concat([this.pending, bytes]) : bytes);
    return this.readBody(bytes, this.head);
  }

  /** Whether the response is complete when the server closes the connection. */
  get endsWithConnection(): boolean {
    return this.head?.body === 'close';
  }

  /** The body as text. */
  text(): string {
    return this.body.toString('utf8', 0, this.length);
  }

  private readHead(bytes: Buffer): boolean {
    const end = bytes.indexOf(headEnd);
    if ((end === -1 ? bytes.length : end) > maxHeadBytes) throw new Error('The head of the response is too long');
    if (end === -1) {
      this.pending = bytes;
      return false;
    }
    this.pending = undefined;
    const head = parseHead(bytes.toString('latin1', 0, end));
    const rest = bytes.subarray(end + headEnd.length);
    if (head.status === 101) throw new Error('The server switched protocols');
    // An interim response precedes the response.
    if (head.status < 200) return rest.length > 0 && this.readHead(rest);
    this.head = head;
    if (head.body === 'chunked') this.chunks = new ChunkDecoder((part) => this.add(part));
    else if (head.body !== 'close' && head.body > this.maxBytes) throw new Error('The response is too long');
    return this.readBody(rest, head);
  }

  private readBody(bytes: Buffer, { body }: ResponseHead): boolean {
    if (body === 'chunked') {
      const rest = this.chunks!.decode(bytes);
      this.hasExcess = rest !== undefined && rest.length > 0;
      return rest !== undefined;
    }
    if (body === 'close') {
      this.add(bytes);
      return false;
    }
    const missing = body - this.length;
    this.hasExcess = bytes.length > missing;
    this.add(this.hasExcess ? bytes.subarray(0, missing) : bytes);
    return this.length === body;
  }

  private add(part: Buffer): void {
    const length = this.length + part.length;
    if (length > this.maxBytes) throw new Error('The response is too long');
    if (this.length === 0) this.body = part;
    else {
      // Many small parts would cost more memory than their bytes.
      if (!this.ownsBody || length > this.body.length) this.grow(length);
      part.copy(this.body, this.length);
    }
    this.length = length;
  }

  private grow(length: number): void {
    const grown = Buffer.allocUnsafe(Math.max(length, 2 * this.length));
    this.body.copy(grown, 0, 0, this.length);
    this.body = grown;
    this.ownsBody = true;
  }
}

/** The head of a response, as far as the client uses it. */
interface ResponseHead {
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
function parseHead(text: string): ResponseHead {
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

const sizeLine = /^([0-9a-f]{1,8})[ \t]*(?:;[^\r\n\0]*)?$/i;
const maxLineBytes = 1_024;
const maxTrailerBytes = 16_384;

/** Decodes a chunked body. */
class ChunkDecoder {
  private rest: Buffer = Buffer.alloc(0);
  /** Bytes of the current chunk that have not arrived; undefined between chunks. */
  private missing?: number;
  private isLast = false;
  private trailerBytes = 0;

  /** @param add receives the parts of the body */
  constructor(private readonly add: (part: Buffer) => void) {}

  /** Decode the next bytes. Returns the bytes after the body when it is complete, otherwise undefined. */
  decode(bytes: Buffer): Buffer | undefined {
    this.rest = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes]);
    while (true) {
      if (this.missing) {
        const part = this.rest.subarray(0, this.missing);
        if (part.length > 0) this.add(part);
        this.rest = this.rest.subarray(part.length);
        this.missing -= part.length;
        if (this.missing > 0) return undefined;
      }
      const line = this.nextLine();
      if (line === undefined) return undefined;
      if (this.missing === 0) {
        if (line !== '') throw new Error('A chunk of the response is longer than its size');
        this.missing = undefined;
      } else if (!this.isLast) this.start(line);
      else if (line === '') return this.rest;
    }
  }

  private start(line: string): void {
    const size = sizeLine.exec(line)?.[1];
    if (size === undefined) throw new Error('The response has an invalid chunk');
    const bytes = Number.parseInt(size, 16);
    if (bytes === 0) this.isLast = true;
    else this.missing = bytes;
  }

  private nextLine(): string | undefined {
    const end = this.rest.indexOf('\r\n');
    const length = end === -1 ? this.rest.length : end;
    if (this.isLast) this.trailerBytes += end === -1 ? 0 : length;
    if (length > maxLineBytes || this.trailerBytes > maxTrailerBytes) throw new Error('The response has an invalid chunk');
    if (end === -1) return undefined;
    const line = this.rest.toString('latin1', 0, end);
    this.rest = this.rest.subarray(end + 2);
    return line;
  }
}

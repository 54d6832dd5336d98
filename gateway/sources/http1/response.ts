import { ChunkDecoder } from './chunks.ts';
import { parseHead, type ResponseHead } from './head.ts';

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

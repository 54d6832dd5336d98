const HEAD_END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = '0\r\n\r\n';

/**
 * A minimal HTTP message parser that only detects the end of a message. Load generator and subgraphs use it because they share
 * processors with the gateways, and it costs a tenth of a full client or server.
 */
export class Message {
  /** Header text in lower case; empty until complete. */
  head = '';
  /** Body length in bytes; undefined for chunked bodies. */
  length?: number;
  #parts: Buffer[] = [];
  #received = 0;
  #tail = '';

  /** Returns whether the message is complete. */
  add(part: Buffer): boolean {
    return this.head === '' ? this.#begin(part) : this.#count(part);
  }

  get body(): Buffer {
    return this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts);
  }

  #begin(part: Buffer): boolean {
    const all = this.#parts.length > 0 ? Buffer.concat([...this.#parts, part]) : part;
    const end = all.indexOf(HEAD_END);
    this.#parts = end < 0 ? [all] : [];
    if (end < 0) return false;
    this.head = all.toString('latin1', 0, end).toLowerCase();
    const [, length] = /\r\ncontent-length: *(\d+)/.exec(this.head) ?? [];
    if (length !== undefined) this.length = Number(length);
    else if (!this.head.includes('\r\ntransfer-encoding:')) this.length = 0;
    return this.#count(all.subarray(end + HEAD_END.length));
  }

  #count(part: Buffer): boolean {
    this.#parts.push(part);
    this.#received += part.length;
    if (this.length !== undefined) return this.#received >= this.length;
    // JSON contains no such line breaks, so only the last chunk can end like this.
    this.#tail = (this.#tail + part.toString('latin1', Math.max(0, part.length - LAST_CHUNK.length))).slice(-LAST_CHUNK.length);
    return this.#tail === LAST_CHUNK;
  }
}

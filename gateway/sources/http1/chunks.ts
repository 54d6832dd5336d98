const sizeLine = /^([0-9a-f]{1,8})[ \t]*(?:;[^\r\n\0]*)?$/i;
const maxLineBytes = 1_024;
const maxTrailerBytes = 16_384;

/** Decodes a chunked body. */
export class ChunkDecoder {
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

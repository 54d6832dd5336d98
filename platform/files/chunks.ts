import type { Pool } from 'pg';

const CHUNK = 256 * 1024;

/** Store the content of a file in the database. */
export async function writeChunks(pool: Pool, fileId: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  let place = 0;
  for await (const bytes of chunked(content)) {
    await pool.query('insert into catalog.file_chunks (file_id, place, bytes) values ($1, $2, $3)', [fileId, place, bytes]);
    place += 1;
  }
}

async function* chunked(content: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, void> {
  let pending: Uint8Array[] = [];
  let size = 0;
  for await (const bytes of content) {
    pending.push(bytes);
    size += bytes.length;
    if (size < CHUNK) continue;
    yield Buffer.concat(pending);
    [pending, size] = [[], 0];
  }
  if (size > 0) yield Buffer.concat(pending);
}

export async function* readChunks(pool: Pool, fileId: string): AsyncGenerator<Buffer, void, void> {
  for (let place = 0; ; place++) {
    const { rows } = await pool.query<{ bytes: Buffer }>(
      'select bytes from catalog.file_chunks where file_id = $1 and place = $2',
      [fileId, place],
    );
    if (!rows[0]) return;
    yield rows[0].bytes;
  }
}

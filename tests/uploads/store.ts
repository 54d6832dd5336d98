import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from '@20minutes/s3rver';

const BUCKET = 'uploads';
/** The account of the server, which verifies request signatures. */
const SECRET = 'S3RVER';

/** A server of the S3 protocol with an empty bucket. */
export async function startStore() {
  const directory = await mkdtemp(join(tmpdir(), 'catalog-graph-store-'));
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    vhostBuckets: false,
    configureBuckets: [{ name: BUCKET }],
  });
  const { port } = await server.run();
  const endpoint = `http://127.0.0.1:${port}`;
  return {
    /** Environment of a process that stores its files here. */
    env: { S3_BUCKET: BUCKET, S3_ENDPOINT: endpoint, S3_ACCESS_KEY_ID: SECRET, S3_SECRET_ACCESS_KEY: SECRET },
    options: { endpoint, bucket: BUCKET, region: 'us-east-1', accessKeyId: SECRET, secretAccessKey: SECRET },
    /** Object keys with this prefix. */
    async keys(prefix = ''): Promise<string[]> {
      const names = await readdir(join(directory, BUCKET, prefix), { recursive: true }).catch(() => []);
      return names.flatMap((name) => (name.endsWith('._S3rver_object') ? [name.replace('._S3rver_object', '')] : [])).sort();
    },
    async close() {
      await server.close().catch(() => {});
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export type Store = Awaited<ReturnType<typeof startStore>>;

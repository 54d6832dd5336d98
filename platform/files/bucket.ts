import { Readable } from 'node:stream';
import { AwsV4Signer } from 'aws4fetch';
import { Agent, type Dispatcher, interceptors, request } from 'undici';
import { forbidInTransaction } from '../database/index.ts';

export interface BucketOptions {
  /** URL of the store. Requests use path-style addresses. */
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** A bucket of an S3-compatible store. The operator configures its URL, so private addresses are allowed. */
export class Bucket {
  readonly #options: BucketOptions;
  readonly #agent = new Agent({ connections: 50, connectTimeout: 10_000, headersTimeout: 60_000, bodyTimeout: 60_000 });
  /** Retries requests. Uploads cannot be retried, because their stream is consumed. */
  readonly #retryAgent: Dispatcher = this.#agent.compose(interceptors.retry({ maxRetries: 3, minTimeout: 200 }));

  constructor(options: BucketOptions) {
    this.#options = options;
  }

  /** Store exactly `bytes` bytes. After an error, the caller must delete the object: some stores keep partial uploads. */
  async put(key: string, content: AsyncIterable<Uint8Array>, bytes: number): Promise<void> {
    const headers = { 'content-type': 'application/octet-stream', 'content-length': String(bytes) };
    const { body } = await this.#send(this.#agent, 'PUT', key, headers, Readable.from(content));
    await body.dump();
  }

  /** @param range the first and the last byte; by default, the whole object */
  async *get(key: string, range?: { from: number; to: number }): AsyncGenerator<Buffer, void, void> {
    const headers = range ? { range: `bytes=${range.from}-${range.to}` } : undefined;
    const { body } = await this.#send(this.#retryAgent, 'GET', key, headers);
    yield* body;
  }

  /** Succeeds also when the object does not exist. */
  async delete(key: string): Promise<void> {
    const { body } = await this.#send(this.#retryAgent, 'DELETE', key);
    await body.dump();
  }

  close(): Promise<void> {
    return this.#agent.close();
  }

  async #send(
    dispatcher: Dispatcher,
    method: 'PUT' | 'GET' | 'DELETE',
    key: string,
    more: Record<string, string> = {},
    body?: Readable,
  ) {
    forbidInTransaction('The file store');
    const { endpoint, bucket, ...keys } = this.#options;
    const signed = await new AwsV4Signer({ ...keys, method, url: `${endpoint}/${bucket}/${key}`, service: 's3' }).sign();
    const headers = { ...Object.fromEntries(signed.headers), ...more };
    const response = await request(signed.url, { dispatcher, method, headers, body });
    if (response.statusCode < 300 || (method === 'DELETE' && response.statusCode === 404)) return response;
    const [, code = 'no reason'] = /<Code>(\w+)<\/Code>/.exec(await response.body.text()) ?? [];
    throw new Error(`The file store answered a ${method} with ${response.statusCode}: ${code}`);
  }
}

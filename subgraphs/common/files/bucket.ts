import { Readable } from 'node:stream';
import { AwsV4Signer } from 'aws4fetch';
import { Agent, type Dispatcher, interceptors, request } from 'undici';
import { forbidInTransaction } from '../transactions.ts';

export interface BucketOptions {
  /** Address of the store; the bucket is the first part of the path. */
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** A bucket of an S3-compatible store. Its address is the operator's, so it may be any, also a private one. */
export class Bucket {
  readonly #options: BucketOptions;
  readonly #once = new Agent({ connections: 50, connectTimeout: 10_000, headersTimeout: 60_000, bodyTimeout: 60_000 });
  /** For what can be asked again; a stream that was sent cannot be. */
  readonly #patient: Dispatcher = this.#once.compose(interceptors.retry({ maxRetries: 3, minTimeout: 200 }));

  constructor(options: BucketOptions) {
    this.#options = options;
  }

  /** Keep exactly so many bytes. Whoever sees this fail deletes the object: some stores keep what they got. */
  async put(key: string, content: AsyncIterable<Uint8Array>, bytes: number): Promise<void> {
    const headers = { 'content-type': 'application/octet-stream', 'content-length': String(bytes) };
    const { body } = await this.#send(this.#once, 'PUT', key, headers, Readable.from(content));
    await body.dump();
  }

  async *get(key: string): AsyncGenerator<Buffer, void, void> {
    const { body } = await this.#send(this.#patient, 'GET', key);
    yield* body;
  }

  /** Also when there is no such object. */
  async delete(key: string): Promise<void> {
    const { body } = await this.#send(this.#patient, 'DELETE', key);
    await body.dump();
  }

  close(): Promise<void> {
    return this.#once.close();
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
    const answer = await request(signed.url, { dispatcher, method, headers, body });
    if (answer.statusCode < 300 || (method === 'DELETE' && answer.statusCode === 404)) return answer;
    const [, code = 'no reason'] = /<Code>(\w+)<\/Code>/.exec(await answer.body.text()) ?? [];
    throw new Error(`The file store answered a ${method} with ${answer.statusCode}: ${code}`);
  }
}

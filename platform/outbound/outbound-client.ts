import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { Agent, type Dispatcher } from 'undici';
import { clock, forbidInTransaction } from '../database/index.ts';
import { Deadline, Slots } from '../queues/index.ts';
import { createLookup, guardedConnector, type Lookup, readUrl, resolveTxt } from './guard.ts';
import { OutboundRefused, refusalFrom, refused } from './refusal.ts';

export interface OutboundOptions {
  /** Private hosts (`host` or `host:port`) that the operator allows. */
  allowHosts: readonly string[];
  /** Timeout of a whole request, from name resolution to the last byte. */
  timeoutMs?: number;
  /** Limit before and after decompression. */
  maxBytes?: number;
  userAgent?: string;
  /** Name servers as `address:port`; defaults to those of the system. */
  nameServers?: readonly string[];
  lookup?: Lookup;
}

export interface OutboundRequest {
  method?: Dispatcher.HttpMethod;
  /** Headers of the connection (`host`, `content-length`, …) are dropped. */
  headers?: Readonly<Record<string, string>>;
  body?: string | Buffer;
  accept?: string;
  timeoutMs?: number;
  maxBytes?: number;
  signal?: AbortSignal;
  /** Read only this many bytes of the response, without decompression. A body that breaks off is no failure. */
  prefixBytes?: number;
}

export interface OutboundResponse {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: Buffer;
  url: string;
  /** Whether the body is incomplete; always false without `prefixBytes`. */
  truncated: boolean;
}

/** A response whose body is read while it arrives. Reading throws `OutboundRefused` at the limits of time and size. */
export interface OutboundStream extends Pick<OutboundResponse, 'status' | 'headers'> {
  body: AsyncIterable<Buffer>;
}

/** Several streams to one origin. */
export interface OutboundSession {
  /** Like `request`, for responses without an end, such as event streams. The caller must read or abort the body. */
  stream(url: string, request?: Omit<OutboundRequest, 'prefixBytes'>): Promise<OutboundStream>;
  close(): void;
}

/** The only HTTP client for URLs from users. */
export interface Outbound {
  /** Resolves with any status except redirects (304 is not a redirect). @throws OutboundRefused, or the reason of `signal` */
  request(url: string, request?: OutboundRequest): Promise<OutboundResponse>;
  /**
   * Open a session of streams to one origin. It counts as one request until it is closed, because its streams may wait for each other.
   */
  openSession(url: string, signal?: AbortSignal): Promise<OutboundSession>;
  /** The TXT records of a name; none if it has no records or does not resolve. */
  resolveTxt(name: string): Promise<string[]>;
  /** The same client for one organization. Its requests to a host never wait for those of other organizations. */
  ownedBy(organizationId: string): Outbound;
  close(): Promise<void>;
}

/** Headers that callers may not set: they could redirect the request to another host or break its framing. */
const reservedHeaders =
  /^(host|connection|keep-alive|content-length|transfer-encoding|te|trailer|upgrade|expect|accept-encoding|proxy-.*)$/i;

export const isReservedHeader = (name: string): boolean => reservedHeaders.test(name);

/** Concurrent requests of one owner to one origin. */
const PER_ORIGIN = 32;

export function createOutbound(config: OutboundOptions): Outbound {
  const { allowHosts, timeoutMs = 15_000, maxBytes = 5 * 1024 * 1024, userAgent = 'catalog-graph' } = config;
  const servers = config.nameServers?.length ? config.nameServers : undefined;
  const { lookup = createLookup({ servers }) } = config;
  const agent = new Agent({
    connect: guardedConnector({ lookup, allowHosts }),
    maxHeaderSize: 16 * 1024,
    // No keep-alive: the server may close an idle connection during a request, and each new connection has its address checked.
    pipelining: 0,
    // One timeout of the whole request replaces those of the client.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  const slots = new Slots(PER_ORIGIN);

  const clientOf = (owner: string): Outbound => ({
    async request(address, options = {}) {
      forbidInTransaction('The network');
      const { url } = readUrl(address, { allowHosts });
      // The timeout starts with the slot, because waiting for own requests is not a fault of the receiver.
      return slots.run(`${owner} ${url.origin}`, options.signal, () => request(url, options));
    },
    async openSession(address, signal) {
      forbidInTransaction('The network');
      const { origin } = readUrl(address, { allowHosts }).url;
      const close = await slots.take(`${owner} ${origin}`, signal);
      return {
        close,
        async stream(to, options = {}) {
          const { url } = readUrl(to, { allowHosts });
          if (url.origin !== origin) throw new Error('A session has one origin');
          return stream(url, options);
        },
      };
    },
    resolveTxt(name) {
      forbidInTransaction('The resolver of names');
      return resolveTxt(name, { servers });
    },
    ownedBy: clientOf,
    close: () => agent.destroy(),
  });

  async function request(url: URL, options: OutboundRequest): Promise<OutboundResponse> {
    const { prefixBytes } = options;
    const limit = options.maxBytes ?? maxBytes;
    const deadline = new Deadline(options.timeoutMs ?? timeoutMs, options.signal);
    try {
      const isWhole = options.method !== 'HEAD' && prefixBytes === undefined;
      const codings = prefixBytes === undefined ? acceptedCodings : 'identity';
      const { status, headers, body } = await send(url, options, codings, deadline.signal, isWhole ? limit : undefined);
      if (prefixBytes !== undefined) {
        const prefix = await readPrefix(body, prefixBytes);
        deadline.signal.throwIfAborted();
        return { status, headers, url: url.href, ...prefix };
      }
      const bytes = await decompress(await collect(body, limit), headers['content-encoding'] ?? '', limit);
      return { status, headers, body: bytes, url: url.href, truncated: false };
    } catch (error) {
      throw failureOf(error, deadline, options);
    } finally {
      deadline.end();
    }
  }

  async function stream(url: URL, options: OutboundRequest): Promise<OutboundStream> {
    const limit = options.maxBytes ?? maxBytes;
    const deadline = new Deadline(options.timeoutMs ?? timeoutMs, options.signal);
    const failed = (error: unknown): never => {
      deadline.end();
      throw failureOf(error, deadline, options);
    };
    try {
      const { status, headers, body } = await send(url, options, 'identity', deadline.signal);
      body.once('close', () => deadline.end());
      return { status, headers, body: limited(body, limit, failed) };
    } catch (error) {
      return failed(error);
    }
  }

  /** Send a request and read the head of its response. Throws `OutboundRefused` for a redirect, or if the body declares more than `maxDeclared` bytes. */
  async function send(
    url: URL,
    { method = 'GET', headers, accept = '*/*', body }: OutboundRequest,
    codings: string,
    signal: AbortSignal,
    maxDeclared = Number.POSITIVE_INFINITY,
  ) {
    const sent = { 'user-agent': userAgent, accept, ...allowedOf(headers), 'accept-encoding': codings };
    const response = agent.request({ origin: url.origin, path: url.pathname + url.search, method, headers: sent, body, signal });
    const { statusCode: status, headers: received, body: content } = await Promise.race([response, aborted(signal)]);
    // A destroyed body emits an error, which needs a listener.
    content.on('error', () => {});
    const lines = joined(received);
    const refusal = refusalOf(status, lines, maxDeclared);
    if (!refusal) return { status, headers: lines, body: content };
    content.destroy();
    throw refusal;
  }

  return clientOf('');
}

/** Pass the chunks of a body on. Throws when it exceeds `maxBytes`. */
async function* limited(body: AsyncIterable<Buffer>, maxBytes: number, failure: (error: unknown) => never): AsyncIterable<Buffer> {
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > maxBytes) throw refused('too_large');
      yield chunk;
    }
  } catch (error) {
    failure(error);
  }
}

/** The headers that a caller may set, with names in lower case. */
const allowedOf = (headers: OutboundRequest['headers'] = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (isReservedHeader(name) ? [] : [[name.toLowerCase(), value]])),
  );

function refusalOf(status: number, headers: Record<string, string>, maxDeclared: number): OutboundRefused | undefined {
  if (status >= 300 && status < 400 && status !== 304) {
    return new OutboundRefused('redirect', 'The address redirects to another one; use the final address.', {
      status,
      location: headers.location,
    });
  }
  return Number(headers['content-length'] ?? 0) > maxDeclared ? refused('too_large') : undefined;
}

/** The reason of the caller's signal, or the refusal that the error stands for. */
function failureOf(error: unknown, deadline: Deadline, { signal }: OutboundRequest): unknown {
  if (signal?.aborted) return signal.reason;
  return deadline.hasPassed ? refused('timeout', error) : refusalFrom(error);
}

/** Join repeated headers. Without a prototype, because the receiver chooses the names. */
function joined(headers: IncomingHttpHeaders): Record<string, string> {
  const lines: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(headers)) lines[name] = Array.isArray(value) ? value.join(', ') : (value ?? '');
  return lines;
}

/** Rejects on abort. The client ignores the signal of a request while it connects. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}

/** Seconds of a `Retry-After` header, which contains seconds or an HTTP date; null if it is absent or malformed. */
export function retryAfterOf(header: string | undefined): number | null {
  const text = header?.trim() ?? '';
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - clock.ms()) / 1_000);
  return Number.isNaN(seconds) ? null : Math.max(seconds, 0);
}

/** Read a whole stream. Throws when it exceeds `maxBytes`. */
async function collect(stream: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > maxBytes) throw refused('too_large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Read the first bytes of a stream and close it. A stream that fails returns the bytes before its failure. */
async function readPrefix(stream: AsyncIterable<Buffer>, bytes: number): Promise<{ body: Buffer; truncated: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  let truncated = false;
  try {
    for await (const chunk of stream) {
      size += chunk.length;
      chunks.push(chunk);
      truncated = size > bytes;
      if (truncated) break;
    }
  } catch {
    truncated = true;
  }
  return { body: Buffer.concat(chunks).subarray(0, bytes), truncated };
}

const unzip = promisify(gunzip);
const decoders: Record<string, (bytes: Buffer, limit: { maxOutputLength: number }) => Promise<Buffer>> = {
  gzip: unzip,
  'x-gzip': unzip,
  br: promisify(brotliDecompress),
  // Some servers send raw deflate instead of the zlib format that the standard requires.
  deflate: (bytes, limit) => promisify((bytes[0]! & 0x0f) === 8 ? inflate : inflateRaw)(bytes, limit),
};

/** The `accept-encoding` of requests: the codings that `decompress` supports. */
const acceptedCodings = 'gzip, deflate, br';

/** Decode one content coding. Throws as soon as the output exceeds `maxBytes`. */
export async function decompress(bytes: Buffer, coding: string, maxBytes: number): Promise<Buffer> {
  const name = coding.trim().toLowerCase();
  if (bytes.length === 0 || name === '' || name === 'identity') return bytes;
  const decoder = Object.hasOwn(decoders, name) ? decoders[name] : undefined;
  if (!decoder) throw new OutboundRefused('type', 'The answer is compressed in a way that is not supported.');
  try {
    return await decoder(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw refused('too_large', error);
    throw new OutboundRefused('type', 'The answer could not be decompressed.', { cause: error });
  }
}

import type { IncomingHttpHeaders } from 'node:http';
import { Agent, type Dispatcher } from 'undici';
import { forbidInTransaction } from '../transactions.ts';
import { acceptedCodings, beginning, collect, unpack } from './body.ts';
import { guardedConnector } from './guard.ts';
import { type Lookup, systemLookup } from './names.ts';
import { OutboundRefused, refusalFrom, refused } from './refusal.ts';
import { Slots } from './slots.ts';
import { readUrl } from './url.ts';

export interface OutboundOptions {
  /** `host:port` or `host` an operator trusts although private. */
  allowHosts: readonly string[];
  /** For the whole of a request, from the name to the last byte. */
  timeoutMs?: number;
  /** Counted as sent, and again after decompression. */
  maxBytes?: number;
  userAgent?: string;
  lookup?: Lookup;
}

export interface OutboundRequest {
  method?: Dispatcher.HttpMethod;
  /** What belongs to the connection (`host`, `content-length`, …) is left out. */
  headers?: Readonly<Record<string, string>>;
  body?: string | Buffer;
  accept?: string;
  timeoutMs?: number;
  maxBytes?: number;
  signal?: AbortSignal;
  /** Keep only the beginning of the answer, as it was sent, and let go of the rest. */
  keepBytes?: number;
}

export interface OutboundResponse {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: Buffer;
  url: string;
  /** An answer is whole or refused, unless only its beginning was asked for. */
  truncated: boolean;
}

/** The one way to an address that somebody gave us. */
export interface Outbound {
  /** Any status but a redirect is an answer. @throws OutboundRefused, or the reason of the caller's own `signal` */
  request(url: string, request?: OutboundRequest): Promise<OutboundResponse>;
  /** The same client for one organization: its requests to a host never wait for those of another organization. */
  ownedBy(organizationId: string): Outbound;
  close(): Promise<void>;
}

/** Header names a caller may not set: they would speak to another host, or break the framing of the request. */
const ours = /^(host|connection|keep-alive|content-length|transfer-encoding|te|trailer|upgrade|expect|accept-encoding|proxy-.*)$/i;

/** Requests of one owner to one origin at a time. */
const PER_ORIGIN = 32;

export function createOutbound(options: OutboundOptions): Outbound {
  const {
    allowHosts,
    timeoutMs = 15_000,
    maxBytes = 5 * 1024 * 1024,
    userAgent = 'catalog-graph',
    lookup = systemLookup,
  } = options;
  const agent = new Agent({
    connect: guardedConnector({ lookup, allowHosts }),
    maxHeaderSize: 16 * 1024,
    // No keep-alive: a request on a connection that its server is closing would fail, and each one has its address checked.
    pipelining: 0,
    // One clock for the whole request replaces the client's own.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  const slots = new Slots(PER_ORIGIN);

  const clientOf = (owner: string): Outbound => ({
    async request(address, asked = {}) {
      forbidInTransaction('The network');
      const { url } = readUrl(address, { allowHosts });
      // The time limit begins with the slot: waiting for one's own requests is no fault of the receiver.
      return slots.run(`${owner} ${url.origin}`, asked.signal, () => request(url, asked));
    },
    ownedBy: clientOf,
    close: () => agent.destroy(),
  });

  async function request(url: URL, asked: OutboundRequest): Promise<OutboundResponse> {
    const limit = asked.maxBytes ?? maxBytes;
    const clock = new AbortController();
    const timer = setTimeout(() => clock.abort(), asked.timeoutMs ?? timeoutMs);
    const signal = asked.signal ? AbortSignal.any([asked.signal, clock.signal]) : clock.signal;
    try {
      const answer = agent.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method: asked.method ?? 'GET',
        headers: headersOf(asked, userAgent),
        body: asked.body,
        signal,
      });
      const { statusCode, headers, body } = await Promise.race([answer, aborted(signal)]);
      // A body that is given up reports that as an error, which nobody waits for.
      body.on('error', () => {});
      const received = joined(headers);
      const announced = asked.method === 'HEAD' || asked.keepBytes !== undefined ? 0 : Number(received['content-length'] ?? 0);
      const refusal = refusedByHead(statusCode, announced, limit);
      if (refusal) {
        body.destroy();
        throw refusal;
      }
      if (asked.keepBytes !== undefined)
        return { status: statusCode, headers: received, url: url.href, ...(await beginning(body, asked.keepBytes)) };
      const bytes = await unpack(await collect(body, limit), received['content-encoding'] ?? '', limit);
      return { status: statusCode, headers: received, body: bytes, url: url.href, truncated: false };
    } catch (error) {
      asked.signal?.throwIfAborted();
      throw clock.signal.aborted ? refused('timeout', error) : refusalFrom(error);
    } finally {
      clearTimeout(timer);
    }
  }

  return clientOf('');
}

function headersOf({ headers = {}, accept = '*/*', keepBytes }: OutboundRequest, userAgent: string): Record<string, string> {
  const given = Object.entries(headers).filter(([name]) => !ours.test(name));
  const lowered = given.map(([name, value]) => [name.toLowerCase(), value]);
  return {
    'user-agent': userAgent,
    accept,
    ...Object.fromEntries(lowered),
    'accept-encoding': keepBytes === undefined ? acceptedCodings : 'identity',
  };
}

function refusedByHead(status: number, announced: number, limit: number): OutboundRefused | undefined {
  if (status >= 300 && status < 400) {
    return new OutboundRefused('redirect', 'The address redirects to another one; use the final address.', { status });
  }
  return announced > limit ? refused('too_large') : undefined;
}

/** A repeated header as one line. The names come from a stranger, so nothing is inherited. */
function joined(headers: IncomingHttpHeaders): Record<string, string> {
  const lines: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(headers)) lines[name] = Array.isArray(value) ? value.join(', ') : (value ?? '');
  return lines;
}

/** While it connects, the client does not listen to the signal of a request. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}

import { Agent, request } from 'undici';
import type { LocationOptions, SupergraphLocation } from './location.ts';

const timeout = 10_000;
const maxBytes = 64 * 1024 * 1024;

/** Read a supergraph from an address. It polls with `If-None-Match`, so an unchanged supergraph costs a 304. */
export function supergraphUrl(given: string, { headers = {}, pollInterval = 10_000 }: LocationOptions): SupergraphLocation {
  const url = addressIn(given);
  const agent = new Agent({ connections: 1, headersTimeout: timeout, bodyTimeout: timeout, maxResponseSize: maxBytes });
  let etag: string | undefined;
  let last: string | undefined;

  const get = async (known?: string): Promise<string | undefined> => {
    const conditions = known ? { 'if-none-match': known } : {};
    const signal = AbortSignal.timeout(timeout);
    const answer = await request(url, { dispatcher: agent, headers: { ...headers, ...conditions }, signal }).catch((cause) => {
      throw new Error(`cannot be reached: ${reasonOf(cause)}`, { cause });
    });
    if (answer.statusCode !== 200) {
      await answer.body.dump();
      if (answer.statusCode === 304 && known) return undefined;
      throw new Error(`cannot be read: the server answered ${answer.statusCode}`);
    }
    const text = await answer.body.text().catch((cause) => {
      throw new Error(`cannot be read: ${reasonOf(cause)}`, { cause });
    });
    etag = answer.headers.etag === undefined ? undefined : String(answer.headers.etag);
    const isChanged = text !== last;
    last = text;
    return isChanged ? text : undefined;
  };

  return {
    name: `${url.origin}${url.pathname}`,
    interval: pollInterval,
    async read() {
      last = undefined;
      return (await get())!;
    },
    readChange: () => get(etag),
    close: () => agent.destroy(),
  };
}

function addressIn(given: string): URL {
  if (!URL.canParse(given)) throw new Error('must be a file or a URL');
  const url = new URL(given);
  const isLoopback = url.hostname === 'localhost' || url.hostname === '[::1]' || /^127(\.\d+){3}$/.test(url.hostname);
  if (url.protocol === 'http:' && !isLoopback) {
    throw new Error(`must be an https address, or http on this machine: ${url.origin}${url.pathname}`);
  }
  return url;
}

const reasonOf = (error: unknown): string => {
  const { code, name, message } = error as { code?: string; name?: string; message?: string };
  return name === 'TimeoutError' ? `no answer within ${timeout / 1000} seconds` : message || code || String(error);
};

import { readFile, stat } from 'node:fs/promises';
import { Agent, request } from 'undici';

/** A file, address or registry from which a supergraph is read and polled. */
export interface SupergraphLocation {
  /** The file or address for messages, without credentials. */
  readonly name: string;
  /** Milliseconds between polls. */
  readonly interval: number;
  /** Read the text now. The error message is a predicate, such as `does not exist`. */
  read(): Promise<string>;
  /** Read the text if it has changed since the last read; undefined otherwise. Throws like `read`. */
  readChange(): Promise<string | undefined>;
  /** Read the version before the one that was read last; undefined if there is none. Later versions are still found by `readChange`. */
  readEarlier?(): Promise<string | undefined>;
  close(): Promise<void>;
}

export interface LocationOptions {
  /** Request headers for an address, such as the key of a registry. */
  headers?: Record<string, string>;
  /** Milliseconds between requests to an address or a registry. */
  pollInterval?: number;
}

const FILE_FAILURES: Record<string, string> = {
  ENOENT: 'does not exist',
  EACCES: 'cannot be read: permission denied',
  EPERM: 'cannot be read: permission denied',
  EISDIR: 'is a directory',
};

/** Milliseconds between checks of a file. */
const FILE_INTERVAL = 1_000;

/** Read a supergraph from a file. It polls, because file system events miss network mounts and replaced symbolic links. */
export function supergraphFile(file: string): SupergraphLocation {
  let read: string | undefined;
  let seen: string | undefined;

  const versionOf = async () => {
    const { ino, size, mtimeMs } = await stat(file);
    return `${ino} ${size} ${mtimeMs}`;
  };
  return {
    name: file,
    interval: FILE_INTERVAL,
    async read() {
      return withReason(async () => {
        read = await versionOf();
        return readFile(file, 'utf8');
      });
    },
    async readChange() {
      return withReason(async () => {
        const version = await versionOf();
        // Wait until two consecutive polls agree, because the file may still be growing.
        const isSteady = version === seen;
        seen = version;
        if (version === read || !isSteady) return undefined;
        read = version;
        return readFile(file, 'utf8');
      });
    },
    async close() {},
  };
}

async function withReason<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error((code && FILE_FAILURES[code]) ?? `cannot be read: ${message}`, { cause: error });
  }
}

/** Time limit of a request, in milliseconds. */
const REQUEST_TIMEOUT = 10_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** Read a supergraph from an address. It polls with `If-None-Match`, so an unchanged supergraph costs a 304. */
export function supergraphUrl(given: string, { headers = {}, pollInterval = 10_000 }: LocationOptions): SupergraphLocation {
  const url = addressIn(given);
  const agent = new Agent({
    connections: 1,
    headersTimeout: REQUEST_TIMEOUT,
    bodyTimeout: REQUEST_TIMEOUT,
    maxResponseSize: MAX_BYTES,
  });
  let etag: string | undefined;
  let last: string | undefined;

  const get = async (known?: string): Promise<string | undefined> => {
    const conditions = known ? { 'if-none-match': known } : {};
    const signal = AbortSignal.timeout(REQUEST_TIMEOUT);
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
  return name === 'TimeoutError' ? `no answer within ${REQUEST_TIMEOUT / 1000} seconds` : message || code || String(error);
};

/** A syntax error repeats the text, which may be large. */
function shortened(error: Error): Error {
  return error.message.length <= MAX_MESSAGE ? error : new Error(`${error.message.slice(0, MAX_MESSAGE)} …`);
}

/** Characters of the message of a refused supergraph. */
const MAX_MESSAGE = 2_000;

/** Versions that are tried at the start. */
const MAX_TRIED = 5;

/**
 * Build from a supergraph that was read from a location, or else from the newest of its earlier versions that builds: a version that running
 * processes refuse must not stop those that start. Throws the first failure.
 * @param onRefused called with each failure, unless all versions fail
 */
export async function buildNewest<T>(
  location: SupergraphLocation,
  supergraph: string,
  build: (supergraph: string) => T,
  onRefused: (error: Error) => void,
): Promise<T> {
  const failures: Error[] = [];
  for (let text: string | undefined = supergraph; text !== undefined && failures.length < MAX_TRIED; ) {
    try {
      const built = build(text);
      failures.forEach(onRefused);
      return built;
    } catch (error) {
      failures.push(shortened(error as Error));
      text = await location.readEarlier?.();
    }
  }
  throw failures[0];
}

/** The outcome of a poll. Polls without a change are not reported. */
export type SupergraphOutcome =
  /** The gateway serves the new supergraph. */
  | 'applied'
  /** The new supergraph does not build; the gateway serves the old one. */
  | 'refused'
  /** The location cannot be read; the gateway serves the old supergraph. */
  | 'unreadable'
  /** The location is readable again and unchanged. */
  | 'recovered';

export interface FollowOptions {
  location: SupergraphLocation;
  /** Replace the supergraph. Rejects when the new one does not build. */
  replace(supergraph: string): Promise<void>;
  /** Called when a supergraph is applied or refused, and when reading starts to fail, fails for another reason or recovers. */
  onOutcome(outcome: SupergraphOutcome, error?: Error): void;
}

/** Processes that start together do not build a supergraph, which blocks them, at the same time. */
const jitter = () => 0.75 + Math.random() / 2;

/** Poll the location and replace the supergraph when it changes. Returns a function that stops polling. */
export function followSupergraph({ location, replace, onOutcome }: FollowOptions): () => Promise<void> {
  let timer: NodeJS.Timeout;
  let failure: string | undefined;
  let isRefused = false;
  let ended = false;

  const poll = async () => {
    let text: string | undefined;
    try {
      text = await location.readChange();
      if (failure !== undefined && text === undefined && !isRefused) onOutcome('recovered');
      failure = undefined;
    } catch (error) {
      const { message } = error as Error;
      if (message !== failure) onOutcome('unreadable', error as Error);
      failure = message;
    }
    if (text === undefined || ended) return;
    try {
      await replace(text);
      isRefused = false;
      onOutcome('applied');
    } catch (error) {
      isRefused = true;
      onOutcome('refused', shortened(error as Error));
    }
  };
  let polling: Promise<void> = Promise.resolve();
  const schedule = () => {
    timer = setTimeout(() => {
      polling = poll().finally(() => !ended && schedule());
    }, location.interval * jitter()).unref();
  };
  schedule();

  return async () => {
    ended = true;
    clearTimeout(timer);
    await location.close();
    await polling;
  };
}

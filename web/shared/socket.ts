import { type Client, type ClientOptions, createClient } from 'graphql-ws';

/** Milliseconds between two pings, and until a missing answer means that the connection is lost. */
const PING_INTERVAL = 10_000;
const PONG_TIMEOUT = 5_000;

/**
 * Create a client that closes a connection whose server does not answer pings. It never reconnects: the library gives up after some
 * close codes, so its callers resume by themselves.
 */
export function openSocket(options: Pick<ClientOptions, 'url' | 'connectionParams'>): Client {
  const client = createClient({ ...options, retryAttempts: 0, keepAlive: PING_INTERVAL });
  let timeout: ReturnType<typeof setTimeout> | undefined;
  client.on('ping', (isReceived) => {
    if (!isReceived) timeout = setTimeout(() => client.terminate(), PONG_TIMEOUT);
  });
  client.on('pong', (isReceived) => isReceived && clearTimeout(timeout));
  client.on('closed', () => clearTimeout(timeout));
  return client;
}

const FIRST_DELAY = 1_000;
const MAX_DELAY = 30_000;

/**
 * Wait before the next attempt, longer after each failure, with jitter. Ends early when the browser is online again, unless the server
 * named the seconds to wait.
 */
export function backOff(failures: number, retryAfter = 0): Promise<void> {
  const delay = Math.min(MAX_DELAY, FIRST_DELAY * 2 ** Math.min(failures, 10)) * (0.5 + Math.random() / 2);
  if (retryAfter > 0) return new Promise((resolve) => setTimeout(resolve, Math.max(delay, retryAfter * 1_000)));
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener('online', end);
      resolve();
    };
    const timer = setTimeout(end, delay);
    addEventListener('online', end);
  });
}

const signedOut = ['MISSING_KEY', 'INVALID_KEY', 'UNKNOWN_KEY'];
const temporary = ['RATE_LIMITED', 'INTERNAL_SERVER_ERROR', 'UNAVAILABLE'];

/** Whether the server does not accept the session or the token. */
export const isSignedOutCode = (code: string): boolean => signedOut.includes(code);
/** Whether the same operation may succeed later. */
export const isTemporaryCode = (code: string): boolean => temporary.includes(code);

const forbidden = ['FORBIDDEN', 'NO_ACCESS', 'PLAN_REQUIRED'];

/** Whether the caller lacks the permission. */
export const isForbiddenCode = (code: string): boolean => forbidden.includes(code);
/** Whether the data do not exist for the caller, so that a retry fails too. */
export const isExcludedCode = (code: string): boolean => isForbiddenCode(code) || code === 'NOT_FOUND';

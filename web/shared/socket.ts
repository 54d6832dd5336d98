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

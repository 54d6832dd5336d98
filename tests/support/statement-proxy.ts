import { connect, createServer, type Socket } from 'node:net';
import { listen } from './listen.ts';

/** Where the proxy cuts: before it forwards a statement of the next transaction, or before it returns the result of the commit. */
export type Cut = { before: number } | 'after commit';

interface Armed {
  cut: Cut;
  /** The connection of the transaction. */
  client?: Socket;
  /** Statements of the transaction so far, with `begin`. */
  count: number;
  /** Whether the transaction has ended without a cut. */
  hasEnded: boolean;
}

/**
 * A proxy before PostgreSQL that ends all connections at a statement of the next transaction, as the death of the process would. It counts
 * the simple queries and the executions of the extended protocol.
 */
export async function startStatementProxy(databaseUrl: string) {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let armed: Armed | undefined;

  const cutAll = () => {
    armed = undefined;
    for (const socket of sockets) socket.destroy();
  };

  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket
        .on('error', () => {})
        .once('close', () => {
          sockets.delete(socket);
          client.destroy();
          upstream.destroy();
        });
    }
    let isCommitting = false;
    const split = splitter((message, text) => {
      if (armed && text !== undefined && !armed.hasEnded) {
        if (!armed.client && /^begin/i.test(text)) armed.client = client;
        if (armed.client === client) {
          armed.count += 1;
          if (armed.cut !== 'after commit' && armed.count === armed.cut.before) return cutAll();
          armed.hasEnded = /^(commit|rollback)/i.test(text);
          isCommitting = /^commit/i.test(text) && armed.cut === 'after commit';
        }
      }
      upstream.write(message);
    });
    client.on('data', split);
    upstream.on('data', (chunk) => (isCommitting && armed ? cutAll() : client.write(chunk)));
  });
  const ownPort = await listen(server);
  const url = new URL(databaseUrl);
  url.port = String(ownPort);
  url.hostname = '127.0.0.1';
  return {
    url: url.href,
    arm(cut: Cut) {
      armed = { cut, count: 0, hasEnded: false };
    },
    /** Disarm, and return whether the connections were cut. */
    disarm() {
      const wasCut = armed === undefined;
      armed = undefined;
      return wasCut;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Calls `handle` with each message of a client, and the text of a statement that it executes. */
function splitter(handle: (message: Buffer, statement: string | undefined) => void) {
  let rest = Buffer.alloc(0);
  let isStarted = false;
  let parsed = '';
  return (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      // The first message has no type.
      const head = isStarted ? 1 : 0;
      if (rest.length < head + 4) return;
      const length = head + rest.readInt32BE(head);
      if (rest.length < length) return;
      const message = rest.subarray(0, length);
      rest = rest.subarray(length);
      const type = isStarted ? String.fromCharCode(message[0]!) : '';
      isStarted = true;
      if (type === 'P') parsed = message.toString('utf8', 5);
      handle(message, type === 'Q' ? message.toString('utf8', 5, length - 1) : type === 'E' ? parsed : undefined);
    }
  };
}

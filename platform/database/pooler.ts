import { connect } from 'node:net';
import pg from 'pg';
import { partsOf, type Query, wrapQuery } from './patches/pg.ts';

/** The code of a cancel request in the protocol of PostgreSQL. */
const CANCEL_REQUEST = 80_877_102;
const CANCEL_TIMEOUT = 5_000;

/** The clients of all pools behind a pooler. */
const clients = new Set<pg.ClientBase>();

/** Send a cancel request of the protocol. Process ids behind a pooler are its own, so `pg_cancel_backend` does not know them. */
export function requestCancel(client: pg.ClientBase): Promise<void> {
  const { host, port, processID, secretKey } = partsOf(client);
  const request = Buffer.alloc(16);
  for (const [at, value] of [16, CANCEL_REQUEST, processID, secretKey].entries()) request.writeInt32BE(value, at * 4);
  return new Promise((resolve) => {
    const socket = connect(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port });
    // If this fails, the statement timeout applies.
    socket.setTimeout(CANCEL_TIMEOUT, () => socket.destroy());
    socket.on('error', () => {}).once('close', () => resolve());
    // The pooler closes the connection once it has forwarded the request; an earlier end would withdraw it.
    socket.write(request);
  });
}

/** Make a pool suitable for a pooler in transaction mode, which runs each transaction in any session. Call it before the first connection. */
export function usePooler(pool: pg.Pool): void {
  pool.on('connect', (client) => clients.add(client));
  pool.on('remove', (client) => clients.delete(client));
  // A named statement would exist only in the session that prepared it.
  wrapQuery(
    pool,
    (query) =>
      (statement, ...rest) =>
        query(unnamed(statement), ...rest),
  );
}

function unnamed(statement: Parameters<Query>[0]): Parameters<Query>[0] {
  if (typeof statement === 'string' || statement.name === undefined) return statement;
  if (typeof statement.submit !== 'function') return { ...statement, name: undefined };
  statement.name = undefined;
  return statement;
}

/** The client of pools behind a pooler. The query builder cancels statements by a statement in another client, which this one translates. */
export class PoolerClient extends pg.Client {
  override query(...given: never[]): never {
    const [text] = given as unknown[];
    const [, processID] = (typeof text === 'string' && /^select pg_(?:cancel|terminate)_backend\((-?\d+)\)$/.exec(text)) || [];
    const target = processID !== undefined && [...clients].find((client) => partsOf(client).processID === Number(processID));
    if (target) return requestCancel(target) as never;
    return (super.query as (...given: never[]) => never).apply(this, given);
  }
}

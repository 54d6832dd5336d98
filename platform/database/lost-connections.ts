import type { Pool, PoolClient } from 'pg';

/**
 * Return lost connections to the pool. The query builder releases the connection of a transaction only after a successful rollback. So a
 * connection that is lost in a transaction would occupy a place of the pool forever.
 */
export function releaseLostConnections(pool: Pool): void {
  const listeners = new WeakMap<PoolClient, () => void>();
  pool.on('acquire', (client: PoolClient) => {
    const onEnd = () => {
      const { release } = client;
      // The pool rejects a second release, which follows when the holder notices the loss later.
      client.release = () => {};
      release.call(client, true);
    };
    listeners.set(client, onEnd);
    client.once('end', onEnd);
  });
  pool.on('release', (_, client: PoolClient) => {
    const onEnd = listeners.get(client);
    if (onEnd) client.off('end', onEnd);
  });
}

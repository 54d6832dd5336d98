import type { PoolClient } from 'pg';

/** The parts of a connection that the types of `pg` leave out. */
interface ClientParts {
  /** The statement in progress. */
  _activeQuery: { text?: string } | null;
  connection: { stream: { bytesRead: number; destroy(error: Error): void } };
}

export const partsOf = (client: PoolClient): ClientParts => client as unknown as ClientParts;

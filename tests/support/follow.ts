import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';

export interface Update {
  sequence: number;
  status: string;
  processedCount: number;
  successCount: number;
  failedCount: number;
  items: { id: string }[];
}

const PROGRESS = `subscription ($id: ID!, $after: Int!) {
  jobProgress(id: $id, after: $after) { sequence status processedCount successCount failedCount items { id } }
}`;

interface Follow {
  /** Called for each connection, so that a client can switch to another gateway. */
  url: () => string;
  key: string;
  jobId: string;
  /** Called with each update. Return true to simulate a network failure. */
  tear?: (update: Update, connection: number) => boolean;
}

/** Follow a job until it finishes. After a lost connection, resume from the last sequence number. */
export async function followJob({
  url,
  key,
  jobId,
  tear = () => false,
}: Follow): Promise<{ updates: Update[]; connections: number }> {
  const updates: Update[] = [];
  // Longer than the restart of a process on a busy machine.
  for (let connections = 1; connections < 1_500; connections += 1) {
    if (await connect(connections)) return { updates, connections };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('The job was never followed to its end');

  /** True if the server completed the stream. */
  async function connect(connection: number): Promise<boolean> {
    let socket: WebSocket | undefined;
    let torn = false;
    const client = createClient({
      url: `${url().replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { 'x-api-key': key },
      retryAttempts: 0,
    });
    client.on('opened', (opened) => (socket = opened as WebSocket));
    try {
      for await (const { data, errors } of client.iterate<{ jobProgress: Update }>({
        query: PROGRESS,
        variables: { id: jobId, after: updates.at(-1)?.sequence ?? 0 },
      })) {
        // The server asks clients to retry.
        if (errors?.some(({ extensions }) => extensions?.code === 'UNAVAILABLE')) return false;
        if (errors) throw new Refused(JSON.stringify(errors));
        // Ignore messages after the simulated failure.
        if (torn) continue;
        updates.push(data!.jobProgress);
        torn = tear(data!.jobProgress, connection);
        if (torn) socket!.terminate();
      }
      return !torn;
    } catch (error) {
      // A refused operation. Clients retry it when the service is not available.
      if (Array.isArray(error) && error.some(({ extensions }) => extensions?.code !== 'UNAVAILABLE')) throw error;
      if (error instanceof Refused) throw error;
      return false;
    } finally {
      await client.dispose();
    }
  }
}

class Refused extends Error {}

/** Assert the invariants of the updates of one job, regardless of reconnects. */
export function expectWhole(updates: Update[], total: number): void {
  const sequences = updates.map(({ sequence }) => sequence);
  expect(sequences).toEqual([...new Set(sequences)].sort((a, b) => a - b));
  const seen = updates.flatMap(({ items }) => items.map(({ id }) => id));
  expect(seen).toHaveLength(total);
  expect(new Set(seen).size).toBe(total);
  const counts = updates.map(({ processedCount }) => processedCount);
  expect(counts).toEqual([...counts].sort((a, b) => a - b));
  expect(updates.at(-1)).toMatchObject({ processedCount: total });
}

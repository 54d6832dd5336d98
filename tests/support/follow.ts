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
  /** Asked at each connection, so that a client may move to another gateway. */
  url: () => string;
  key: string;
  jobId: string;
  /** Called with each update; true tears the socket, as a network does. */
  tear?: (update: Update, connection: number) => boolean;
}

/** Follows a job to its end as a careful client does: whenever the connection is lost, it comes back with the last number it saw. */
export async function followJob({
  url,
  key,
  jobId,
  tear = () => false,
}: Follow): Promise<{ updates: Update[]; connections: number }> {
  const updates: Update[] = [];
  // Longer than a process takes to come back on a busy machine.
  for (let connections = 1; connections < 1_500; connections += 1) {
    if (await connect(connections)) return { updates, connections };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('The job was never followed to its end');

  /** True when the server said that there is no more. */
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
        // ‘Try again shortly’, it says.
        if (errors?.some(({ extensions }) => extensions?.code === 'UNAVAILABLE')) return false;
        if (errors) throw new Refused(JSON.stringify(errors));
        // What arrives after the cut was never seen.
        if (torn) continue;
        updates.push(data!.jobProgress);
        torn = tear(data!.jobProgress, connection);
        if (torn) socket!.terminate();
      }
      return !torn;
    } catch (error) {
      if (error instanceof Refused || Array.isArray(error)) throw error;
      return false;
    } finally {
      await client.dispose();
    }
  }
}

class Refused extends Error {}

/** What has to be true of the updates of one job, however often the client was away. */
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

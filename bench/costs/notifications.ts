import pg from 'pg';

const CHANNELS = [
  ...['job_changes', 'organization_changes', 'webhook_deliveries', 'webhook_attempts', 'outbox', 'identity', 'source_changes'],
  ...['reply_chunks', 'reply_stops', 'handoff_events', 'handoff_queue', 'removed_objects'],
];

/** Counts the commits that notify. Commits of one session that notify on different channels count as one. */
export async function countNotifyingCommits(stack: AsyncDisposableStack, connectionString: string): Promise<() => number> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  stack.defer(() => client.end());
  const bySession = new Map<number, Map<string, number>>();
  client.on('notification', ({ processId, channel }) => {
    const channels = bySession.get(processId) ?? new Map<string, number>();
    bySession.set(processId, channels.set(channel, (channels.get(channel) ?? 0) + 1));
  });
  for (const channel of CHANNELS) await client.query(`listen ${channel}`);
  return () => [...bySession.values()].reduce((sum, channels) => sum + Math.max(...channels.values()), 0);
}

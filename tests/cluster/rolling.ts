import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { samples } from '../faults/kinds.ts';
import { database } from '../support/seed.ts';
import { jobs } from './load/jobs.ts';
import { eventually } from './load/workload.ts';
import { openClients, runSession, underLoad } from './session.ts';

/** Replaces every process of a cluster one after the other under load. Fails if a request fails, or an item or event is lost or doubled. */
const { items, clients, only } = new Command('rolling')
  .description('Replace every process of a cluster one after the other while clients read, write, stream, subscribe and run a job.')
  .option('--items <count>', 'items of the job', Number, 5_000)
  .option('--clients <count>', 'clients of each kind', Number, 2)
  .option('--only <kinds>', 'replace only processes of these kinds, such as gateway,worker')
  .parse()
  .opts<{ items: number; clients: number; only?: string }>();

/** Longer than the balancer needs to use a process again. */
const STEADY_MS = 2_500;
/** The balancer and the pooler have one process each. */
const SINGLE = ['haproxy', 'pgbouncer'];
const PROCESSED = 'select coalesce(max(processed_count), 0)::int as processed from catalog.jobs';

await runSession('rolling', {}, async (session) => {
  const { cluster, receiver, attempts, print } = session;
  const { url, databaseUrl } = cluster;
  const job = jobs({
    ...{ sample: samples[0]!, count: items, directive: '[[provider: slow 50]]', again: false },
    ...{ url, databaseUrl, receiver, attempts },
  });
  const processed = async () => (await database(databaseUrl).query(PROCESSED)).rows[0].processed as number;
  const isBalanced = await underLoad(session, [job, ...(await openClients(session, clients))], async () => {
    await eventually(async () => (await processed()) > 0, 120_000);
    const isChosen = (kind: string) => (only ? only.split(',').includes(kind) : !SINGLE.includes(kind));
    for (const part of cluster.parts.filter(({ kind }) => isChosen(kind))) {
      const startedAt = Date.now();
      await part.replace();
      await sleep(STEADY_MS);
      const seconds = ((Date.now() - startedAt) / 1_000).toFixed(1);
      print(`${part.name} replaced in ${seconds} s; ${await processed()} of ${items} items, ${attempts.failed} requests failed`);
      for (const [reason, count] of attempts.failures) print(`  ${count} × ${reason}`);
    }
    await eventually(async () => (await processed()) === items, 600_000);
  });
  return isBalanced && attempts.failed === 0;
});

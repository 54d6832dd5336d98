import { rmSync } from 'node:fs';

import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { samples } from '../faults/kinds.ts';
import { root } from '../support/npm.ts';
import { database } from '../support/seed.ts';
import { jobs } from './load/jobs.ts';
import { eventually } from './load/workload.ts';
import type { Part } from './part.ts';
import { openClients, runSession, underLoad } from './session.ts';
import { checkOut, migrate } from './version.ts';

/** Replaces every process of a cluster one after the other under load. Fails if a request fails, or an item or event is lost or doubled. */
const { items, clients, only, from } = new Command('rolling')
  .description('Replace every process of a cluster one after the other while clients read, write, stream, subscribe and run a job.')
  .option('--items <count>', 'items of the job', Number, 5_000)
  .option('--clients <count>', 'clients of each kind', Number, 2)
  .option('--only <kinds>', 'replace only processes of these kinds, such as gateway,worker')
  .option('--from <commit>', 'start the version of this commit, then migrate and replace its processes by this version')
  .parse()
  .opts<{ items: number; clients: number; only?: string; from?: string }>();

/** Longer than the balancer needs to use a process again. */
const STEADY_MS = 2_500;
/** The balancer and the pooler have one process each. */
const SINGLE = ['haproxy', 'pgbouncer'];
/** The documented order of an upgrade. The services of Temporal follow in the order of their start. */
const ORDER = ['worker', 'catalog', 'agent', 'site-content', 'gateway'];
const PROCESSED = 'select coalesce(max(processed_count), 0)::int as processed from catalog.jobs';

const earlier = from && (await checkOut(from));
let sources = earlier ?? root;
process.once('exit', () => earlier && rmSync(earlier, { recursive: true, force: true }));

await runSession('rolling', { sources: () => sources }, async (session) => {
  const { cluster, receiver, attempts, print } = session;
  const { url, databaseUrl } = cluster;
  const job = jobs({
    ...{ sample: samples[0]!, count: items, directive: '[[provider: slow 50]]', again: false },
    ...{ url, databaseUrl, receiver, attempts },
  });
  const processed = async () => (await database(databaseUrl).query(PROCESSED)).rows[0].processed as number;
  const replace = async (part: Part) => {
    const startedAt = Date.now();
    await part.replace();
    await sleep(STEADY_MS);
    const seconds = ((Date.now() - startedAt) / 1_000).toFixed(1);
    print(`${part.name} replaced in ${seconds} s; ${await processed()} of ${items} items, ${attempts.failed} requests failed`);
    for (const [reason, count] of attempts.failures) print(`  ${count} × ${reason}`);
  };
  const isBalanced = await underLoad(session, [job, ...(await openClients(session, clients))], async () => {
    await eventually(async () => (await processed()) > 0, 120_000);
    if (earlier) {
      print(await migrate(databaseUrl));
      sources = root;
    }
    const isChosen = ({ kind }: Part) => (only ? only.split(',').includes(kind) : !SINGLE.includes(kind));
    const position = ({ kind }: Part) => (ORDER.includes(kind) ? ORDER.indexOf(kind) : ORDER.length);
    for (const part of cluster.parts.filter(isChosen).toSorted((a, b) => position(a) - position(b))) await replace(part);
    await eventually(async () => (await processed()) === items, 600_000);
  });
  return isBalanced && attempts.failed === 0;
});

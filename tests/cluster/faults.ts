import { Command } from 'commander';
import { samples } from '../faults/kinds.ts';
import { Killer } from './killer.ts';
import { jobs } from './load/jobs.ts';
import { randomOf } from './random.ts';
import { openClients, runSession, underLoad } from './session.ts';

/** Kills random processes of a cluster under load. Fails if accepted work is lost or done twice. */
const { kills, seed, clients } = new Command('faults')
  .description('Kill random processes of a cluster during jobs of every kind, chats, deliveries, uploads and imports.')
  .option('--kills <count>', 'number of kills', Number, 100)
  .option('--seed <number>', 'repeats the choice of processes and pauses of a run', Number, Math.floor(Math.random() * 1e9))
  .option('--clients <count>', 'clients of each kind', Number, 1)
  .parse()
  .opts<{ kills: number; seed: number; clients: number }>();

/** Items of each job. */
const ITEMS = 12;

await runSession('faults', async (session) => {
  const { cluster, receiver, attempts, print } = session;
  const { url, databaseUrl, parts, postgres } = cluster;
  const options = { count: ITEMS, directive: '[[provider: slow 300]]', again: true, url, databaseUrl, receiver, attempts };
  const workloads = [...samples.map((sample) => jobs({ ...options, sample })), ...(await openClients(session, clients))];
  const killer = new Killer({ parts: [postgres, ...parts], random: randomOf(seed), print });
  print(`Seed ${seed}`);
  const isBalanced = await underLoad(session, workloads, () => killer.run(kills));
  const count = (counts: ReadonlyMap<string, number>) => [...counts].map(([kind, each]) => `${kind} ${each}`).join(', ') || 'none';
  process.stdout.write(`kills: ${count(killer.kills)}\nended by themselves: ${count(killer.exits)}\nseed: ${seed}\n`);
  return isBalanced;
});

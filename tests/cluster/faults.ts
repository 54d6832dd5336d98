import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { samples } from '../faults/kinds.ts';
import { type FaultName, faultNames, Injector } from './injector.ts';
import { jobs } from './load/jobs.ts';
import { progressOf } from './progress.ts';
import { randomOf } from './random.ts';
import { openClients, runSession, underLoad } from './session.ts';

function faultList(text: string): FaultName[] {
  const names = text.split(',');
  const unknown = names.find((name) => !faultNames.includes(name as FaultName));
  if (unknown !== undefined) throw new InvalidArgumentError(`Faults are ${faultNames.join(', ')}.`);
  return names as FaultName[];
}

/** Injects random faults into a cluster under load. Fails if accepted work is lost or done twice. */
const { kills, seed, clients, faults } = new Command('faults')
  .description(
    'Kill random processes of a cluster and disturb random connections during jobs of every kind, chats, deliveries, uploads and imports. Ctrl-C ends the faults and prints the ledger; a second one stops at once.',
  )
  .option('--kills <count>', 'number of faults', Number, 100)
  .option('--faults <kinds>', `kinds of faults, of ${faultNames.join(', ')}`, faultList, [...faultNames])
  .option('--seed <number>', 'repeats the choice of faults and pauses of a run', Number, Math.floor(Math.random() * 1e9))
  .option('--clients <count>', 'clients of each kind', Number, 1)
  .parse()
  .opts<{ kills: number; seed: number; clients: number; faults: FaultName[] }>();

/** Items of each job. */
const ITEMS = 12;

const listed = (counts: ReadonlyMap<string, number>) => [...counts].map(([kind, each]) => `${kind} ${each}`).join(', ') || 'none';

await runSession('faults', { hasLinks: faults.some((each) => each !== 'kill') }, async (session) => {
  const { cluster, receiver, attempts, print, ending } = session;
  const { url, databaseUrl, parts, postgres, network, folder } = cluster;
  const options = { count: ITEMS, directive: '[[provider: slow 300]]', again: true, url, databaseUrl, receiver, attempts };
  const workloads = [...samples.map((sample) => jobs({ ...options, sample })), ...(await openClients(session, clients))];
  const onFault = (description: string) =>
    void appendFile(join(folder, 'faults.log'), `${new Date().toISOString()} ${description}\n`).catch(() => {});
  const injector = new Injector({
    parts: [postgres, ...parts],
    links: network.links,
    ...{ faults, random: randomOf(seed), onFault },
  });
  print(`Seed ${seed}; the faults are listed in ${join(folder, 'faults.log')}`);
  const onProgress = progressOf(kills, attempts, print);
  const isBalanced = await underLoad(session, workloads, () => injector.run(kills, ending, onProgress));
  process.stdout.write(`faults: ${listed(injector.faults)}\nended by themselves: ${listed(injector.exits)}\nseed: ${seed}\n`);
  return isBalanced;
});

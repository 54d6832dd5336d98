import { Closers } from '../../start/process/closers.ts';
import { stopOnSignal } from '../../start/servers/signals.ts';
import { openCatalog, openMarketplace } from '../faults/kinds.ts';
import { closeDatabases } from '../support/seed.ts';
import { type Receiver, startReceiver } from '../webhooks/receiver.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { chats } from './load/chats.ts';
import { isBalanced, ledger } from './load/ledger.ts';
import { reads, uploads, writes } from './load/requests.ts';
import { Attempts, type Workload } from './load/workload.ts';
import { urlThrough } from './network/toxiproxy.ts';

/** A cluster with clients, for one run of a script. */
export interface Session {
  cluster: Cluster;
  receiver: Receiver;
  attempts: Attempts;
  /** Aborts when the user asks for an early end. */
  ending: AbortSignal;
  /** Print a line with the seconds since the start. */
  print(text: string): void;
}

/** Clients of every kind besides jobs. */
export async function openClients({ cluster: { url, databaseUrl }, attempts }: Session, copies: number): Promise<Workload[]> {
  const clients = Array.from({ length: copies }, async () => {
    const catalog = await openCatalog(url, databaseUrl);
    return [
      reads(catalog, attempts),
      writes(catalog, attempts, databaseUrl),
      uploads(catalog, attempts, databaseUrl),
      await chats(url, databaseUrl, attempts),
    ];
  });
  return (await Promise.all(clients)).flat();
}

/** Run `work` on a cluster while the workloads run, then print the ledger. Returns whether it is balanced. */
export async function underLoad(session: Session, workloads: readonly Workload[], work: () => Promise<void>): Promise<boolean> {
  const { attempts, print } = session;
  const ending = new AbortController();
  const running = workloads.map((each) => each.run(ending.signal));
  await work();
  ending.abort();
  print('Waiting until all accepted work has ended');
  await Promise.all(running);
  const accounts = (await Promise.all(workloads.map((each) => each.settle()))).flat();
  process.stdout.write(`\n${ledger(accounts, attempts)}\n`);
  return isBalanced(accounts);
}

/** Start a cluster for `work`, which returns whether the run succeeded. Ends the process. */
export async function runSession(
  name: string,
  options: Pick<Parameters<typeof startCluster>[0], 'hasLinks' | 'sources'>,
  work: (session: Session) => Promise<boolean>,
): Promise<never> {
  const startedAt = Date.now();
  const print = (text: string) =>
    void process.stderr.write(`${((Date.now() - startedAt) / 1_000).toFixed(1).padStart(7)} s  ${text}\n`);
  const closers = new Closers();
  const ending = new AbortController();
  // The first Ctrl-C ends the run early and prints the ledger.
  const onInterrupt = () => {
    print('Ending; press Ctrl-C again to stop at once');
    ending.abort();
    stopOnSignal(() => closers.closeAll());
  };
  process.once('SIGINT', onInterrupt);
  let succeeded = false;
  try {
    const receiver = await startReceiver();
    closers.add('receiver', receiver.close);
    const { url: searchUrl } = await openMarketplace();
    const env = { OUTBOUND_ALLOW_HOSTS: '127.0.0.1', SEARCH_URL: searchUrl };
    const cluster = await startCluster({ ...options, onStep: print, closers, env, keepsLogs: () => !succeeded });
    closers.add('database pools', closeDatabases);
    const url = await urlThrough(cluster.network, 'worker', 'receiver', receiver.url);
    const session = { cluster, receiver: { ...receiver, url }, attempts: new Attempts(), ending: ending.signal, print };
    succeeded = await work(session);
  } catch (error) {
    print(`${name}: ${(error as Error).stack}`);
  }
  print('Stopping');
  await closers.closeAll();
  process.exit(succeeded ? 0 : 1);
}

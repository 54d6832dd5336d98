import { Closers } from '../../start/process/closers.ts';
import { stopOnSignal } from '../../start/servers/signals.ts';
import { startCluster } from './cluster.ts';

/** Runs a cluster until Ctrl-C. Prints the command that runs the tests against it. */
const closers = new Closers();
const print = (text: string) => process.stderr.write(`${text}\n`);
const stop = () => closers.closeAll((name) => print(`Stopping ${name}`));
stopOnSignal(stop);
try {
  const { url, siteUrl, databaseUrl, temporalAddress, provider, parts, postgres, folder } = await startCluster({
    onStep: print,
    closers,
  });
  print(`\nThe cluster runs; its logs are in ${folder}`);
  for (const { name, pid } of [postgres, ...parts]) print(`  ${name.padEnd(18)} ${pid}`);
  const options = { url, 'site-url': siteUrl, 'database-url': databaseUrl, 'temporal-address': temporalAddress, provider };
  const args = Object.entries(options).map(([name, value]) => `--${name} '${value}'`);
  process.stdout.write(`npm test -- ${args.join(' ')}\n`);
  // Child processes do not keep this process alive.
  setInterval(() => {}, 60_000);
} catch (error) {
  print((error as Error).message);
  await stop();
  process.exit(1);
}

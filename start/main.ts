import { join } from 'node:path';
import { Listr } from 'listr2';
import { greeting } from './first-run/greeting.ts';
import { type Context, readConfig, stages } from './first-run/stages.ts';
import { Closers } from './process/closers.ts';
import { collectGarbage, describeError } from './process/run.ts';
import { isInteractive, withSignsOfLife } from './process/terminal.ts';
import { fillSample } from './sample/first-run.ts';
import { dataFolder } from './servers/folders.ts';
import { AlreadyRunning } from './servers/lock.ts';
import { exitWithParent } from './servers/supervise.ts';

/** Longer than all parts together take to stop. */
const STOP_MS = 60_000;

const USAGE = `npm start runs the whole product on this machine and prints a link that signs you in. It has no options; its settings are
environment variables, for example a second system beside a running one:

  PORT=4100 SITE_PORT=4101 DATA_DIR=/tmp/catalog npm start

docs/configuration.md lists all of them. Other commands: docs/commands.md
`;
const [argument] = process.argv.slice(2);
if (argument !== undefined) {
  const isHelp = ['-h', '--help', 'help'].includes(argument);
  process.stderr.write(isHelp ? USAGE : `npm start has no option ${argument}.\n\n${USAGE}`);
  process.exit(isHelp ? 0 : 2);
}

const closers = new Closers();
let ending: Promise<void> | undefined;

/** Stop everything in order, once. A second Ctrl-C has no effect. */
function end(code: number): Promise<void> {
  ending ??= closers.closeAll((name) => process.stderr.write(`Stopping ${name}\n`)).then(() => process.exit(code));
  return ending;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end(0));
exitWithParent(STOP_MS);

try {
  const config = await readConfig();
  const dataDir = dataFolder(config.DATA_DIR);
  const context: Context = {
    env: {},
    url: '',
    siteUrl: '',
    logs: join(dataDir, 'logs'),
    pages: '',
    orders: '',
    customers: '',
    shopUrl: '',
    hooks: '',
    publish: () => {},
  };
  const given = { config, dataDir, closers, onFailed: fail, onLine: say };
  await new Listr(isInteractive ? stages(given) : withSignsOfLife(stages(given), say), {
    ctx: context,
    fallbackRenderer: 'simple',
    fallbackRendererCondition: !isInteractive,
    // This file handles the signals.
    registerSignalListeners: false,
  }).run();
  if (context.sample) {
    const databaseUrl = context.env.DATABASE_URL ?? config.DATABASE_URL!;
    await fillSample(context.sample, { ...context, databaseUrl, isEnding: () => ending !== undefined, onLine: say });
  }
  collectGarbage();
  if (!ending) process.stdout.write(greeting(context));
} catch (error) {
  if (!ending) fail(error as Error);
}

/** Prints nothing during shutdown, when every process exits anyway. */
function say(text: string): void {
  if (!ending) process.stderr.write(`${text}\n`);
}

function fail(error: Error): void {
  process.stderr.write(`\n${error instanceof AlreadyRunning ? running(error) : describeError(error)}\n`);
  void end(1);
}

function running({ pid, info }: AlreadyRunning): string {
  const where = Object.entries(info).map(([name, address]) => `  ${name.padEnd(12)} ${address}`);
  return [
    `Already running as process ${pid}:`,
    ...where,
    'Stop that process first, or set DATA_DIR and PORT to run a second system.',
  ].join('\n');
}

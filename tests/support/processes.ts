import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Running {
  pid: number;
  addresses: Record<string, string>;
  /** All output so far. */
  output(): string;
  /** Stop the process gracefully, or kill it. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Start a product process like its npm script, and wait until it is ready. `folder` has the sources. */
export async function startProcess(script: string, args: string[], env: Record<string, string>, folder = root): Promise<Running> {
  const child = spawn(process.execPath, ['--import', './start/typescript.mjs', script, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, LOG_LEVEL: 'warn', SHUTDOWN_DELAY: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
  const addresses = await readiness(child, () => output);
  return {
    pid: child.pid!,
    addresses,
    output: () => output,
    async stop(signal = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, 'exit');
      child.kill(signal);
      await exit;
    },
  };
}

async function readiness(child: ChildProcess, output: () => string): Promise<Record<string, string>> {
  const ready = new Promise<Record<string, string>>((resolve, reject) => {
    child.on(
      'message',
      (message: { ready?: boolean; addresses?: Record<string, string> }) => message.ready && resolve(message.addresses ?? {}),
    );
    child.once('exit', (code) => reject(new Error(`The process ended with ${code} before it was ready:\n${output()}`)));
  });
  return ready;
}

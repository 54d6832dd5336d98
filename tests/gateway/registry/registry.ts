import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type OpenRegistry, openRegistry } from 'compiled-gateway/registry';
import { createDatabase, EMPTY } from '../../support/database.ts';
import { stack } from '../serve/served.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** An empty database, and the address of a registry in a schema of its own. */
export async function createRegistry(): Promise<{ address: string; registry: OpenRegistry }> {
  const { url, drop } = await createDatabase({ template: EMPTY });
  stack.defer(drop);
  const address = `${url}?schema=shop_graph`;
  const registry = await openRegistry(address);
  stack.defer(() => registry.close());
  await registry.createTables();
  return { address, registry };
}

/** Start the command of the package. */
export const startCommand = (args: readonly string[], env: Record<string, string> = {}) =>
  spawn(process.execPath, ['--import', './start/typescript.mjs', 'gateway/cli/cli.ts', ...args], {
    cwd: root,
    env: { ...process.env, DATABASE_URL: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

/** Run the command of the package to its end. */
export async function runCommand(args: readonly string[], env: Record<string, string> = {}) {
  const child = startCommand(args, env);
  const text = { out: '', err: '' };
  child.stdout.on('data', (part) => (text.out += part));
  child.stderr.on('data', (part) => (text.err += part));
  const [code] = await once(child, 'close');
  return { code: code as number, ...text };
}

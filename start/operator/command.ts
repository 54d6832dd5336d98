import type { Services } from '../../platform/subgraph/services.ts';
import { readEnvironment } from '../../schema/environment.ts';
import { readConfig } from '../process/config.ts';
import { describeError } from '../process/run.ts';
import { openOwnServices } from '../process-services.ts';
import { dataFolder } from '../servers/folders.ts';
import { readLock } from '../servers/lock.ts';
import { startPostgres } from '../servers/postgres.ts';
import { stopOnSignal } from '../servers/signals.ts';

/** Run an operator command on the local database. Prints only its result on standard output. */
export async function runCommand(name: string, work: (services: Services) => Promise<string>): Promise<void> {
  try {
    process.stdout.write(`${await withServices(work)}\n`);
  } catch (error) {
    process.stderr.write(`${name}: ${describeError(error)}\n`);
    process.exitCode = 1;
  }
}

async function withServices<T>(work: (services: Services) => Promise<T>): Promise<T> {
  const database = await openLocalDatabase();
  try {
    const services = await openOwnServices({ ...readConfig(), DATABASE_URL: database.url });
    try {
      return await work(services);
    } finally {
      await services.close();
    }
  } finally {
    await database.close();
  }
}

interface LocalDatabase {
  url: string;
  /** The address of the server itself, if `url` is a connection pooler. */
  directUrl: string;
  close(): Promise<void>;
}

/** Open the local database for a short command: `DATABASE_URL`, or the embedded one, started temporarily if it is not running. */
export async function openLocalDatabase(): Promise<LocalDatabase> {
  const { DATABASE_URL, DATABASE_DIRECT_URL, DATA_DIR } = readEnvironment(['DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATA_DIR']);
  if (DATABASE_URL) return { url: DATABASE_URL, directUrl: DATABASE_DIRECT_URL ?? DATABASE_URL, close: async () => {} };
  const { url, adopted, stop } = await startPostgres({ dataDir: dataFolder(DATA_DIR) });
  if (adopted) return { url, directUrl: url, close: async () => {} };
  const forget = stopOnSignal(stop);
  return {
    url,
    directUrl: url,
    async close() {
      forget();
      await stop();
    },
  };
}

export const signInUrl = (dashboard: string, token: string): string => `${dashboard}/auth/link/${token}`;

/**
 * The base URL of the dashboard: the configured one, or that of the running `npm start`, or the default address.
 * @param running the URL of the gateway, if known
 */
export function dashboardUrl(running?: string): string {
  const config = readEnvironment(['DASHBOARD_ORIGIN', 'PUBLIC_URL', 'DATABASE_URL', 'DATA_DIR', 'HOST', 'PORT']);
  const { DASHBOARD_ORIGIN, PUBLIC_URL, DATABASE_URL, DATA_DIR, HOST, PORT } = config;
  const configured = DASHBOARD_ORIGIN ?? PUBLIC_URL;
  if (configured) return new URL(configured).origin;
  const local = DATABASE_URL ? undefined : readLock(dataFolder(DATA_DIR)).url;
  return running ?? local ?? `http://${HOST}:${PORT}`;
}

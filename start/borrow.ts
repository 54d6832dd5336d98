import { readEnvironment } from '../schema/environment.ts';
import { dataFolder } from './servers/folders.ts';
import { startPostgres } from './servers/postgres.ts';

/** The database of this machine for a short command: `DATABASE_URL`, or the embedded one, started for the while when it is not running. */
export async function borrowDatabase(): Promise<{ url: string; giveBack(): Promise<void> }> {
  const { DATABASE_URL, DATA_DIR } = readEnvironment(['DATABASE_URL', 'DATA_DIR']);
  if (DATABASE_URL) return { url: DATABASE_URL, giveBack: async () => {} };
  const { url, adopted, stop } = await startPostgres({ dataDir: dataFolder(DATA_DIR) });
  return { url, giveBack: async () => void (adopted || (await stop())) };
}

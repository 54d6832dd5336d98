import { readEnvironment } from '../schema/environment.ts';
import { dataFolder } from './servers/folders.ts';
import { startPostgres } from './servers/postgres.ts';
import { stopOnSignal } from './servers/signals.ts';

/** Open the local database for a short command: `DATABASE_URL`, or the embedded one, started temporarily if it is not running. */
export async function openLocalDatabase(): Promise<{ url: string; close(): Promise<void> }> {
  const { DATABASE_URL, DATA_DIR } = readEnvironment(['DATABASE_URL', 'DATA_DIR']);
  if (DATABASE_URL) return { url: DATABASE_URL, close: async () => {} };
  const { url, adopted, stop } = await startPostgres({ dataDir: dataFolder(DATA_DIR) });
  if (adopted) return { url, close: async () => {} };
  const forget = stopOnSignal(stop);
  return {
    url,
    async close() {
      forget();
      await stop();
    },
  };
}

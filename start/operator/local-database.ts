import { readEnvironment } from '../../schema/environment.ts';
import { dataFolder } from '../servers/folders.ts';
import { startPostgres } from '../servers/postgres.ts';
import { stopOnSignal } from '../servers/signals.ts';

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

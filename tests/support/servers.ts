import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../start/servers/postgres.ts';
import { startTemporal } from '../../start/servers/temporal.ts';

/** The data need not survive a crash of the machine. */
const settings = { fsync: 'off', full_page_writes: 'off' };

/** Start real PostgreSQL and Temporal servers with temporary data for one test run. */
export async function startServers(onStep: (text: string) => void) {
  const dataDir = await mkdtemp(join(tmpdir(), 'catalog-graph-test-'));
  const [postgres, temporal] = await Promise.all([
    startPostgres({ dataDir, settings, onStep }),
    startTemporal({ dataDir, onStep }),
  ]);
  return {
    databaseUrl: postgres.url,
    temporalAddress: temporal.address,
    async stop() {
      await Promise.all([postgres.stop(), temporal.stop()]);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { printSteps } from '../../start/process/terminal.ts';
import { startPostgres } from '../../start/servers/postgres.ts';
import { startTemporal } from '../../start/servers/temporal.ts';

/** The data need not survive a crash of the machine. */
const settings = { fsync: 'off', full_page_writes: 'off' };

/** Start real PostgreSQL and Temporal servers with temporary data for one test run. Prints the steps of each. */
export async function startServers(print: (line: string) => void) {
  const dataDir = await mkdtemp(join(tmpdir(), 'catalog-graph-test-'));
  const start = async <T>(begin: (options: { dataDir: string; onStep: (step: string) => void }) => Promise<T>): Promise<T> => {
    const steps = printSteps(print);
    try {
      return await begin({ dataDir, onStep: steps.onStep });
    } finally {
      steps.end();
    }
  };
  const [postgres, temporal] = await Promise.all([
    start((options) => startPostgres({ ...options, settings })),
    start((options) => startTemporal(options)),
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

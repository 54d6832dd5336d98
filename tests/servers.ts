import closeWithGrace from 'close-with-grace';
import { startServers } from './support/servers.ts';

/** PostgreSQL and Temporal for test runs that reuse them, until Ctrl-C. Prints the variables that name them. */
const servers = await startServers((text) => process.stderr.write(`${text}\n`));
process.stdout.write(`TEST_DATABASE_URL=${servers.databaseUrl}\nTEST_TEMPORAL_ADDRESS=${servers.temporalAddress}\n`);
// The servers are child processes, which do not keep this one alive.
setInterval(() => {}, 60_000);
closeWithGrace({ delay: 15_000 }, () => servers.stop());

import { stopOnSignal } from '../start/servers/signals.ts';
import { startServers } from './support/servers.ts';

/** Runs PostgreSQL and Temporal for tests until Ctrl-C. Prints the variables that point tests at them. */
const servers = await startServers((line) => process.stderr.write(`${line}\n`));
process.stdout.write(`TEST_DATABASE_URL=${servers.databaseUrl}\nTEST_TEMPORAL_ADDRESS=${servers.temporalAddress}\n`);
// Child processes do not keep this process alive.
setInterval(() => {}, 60_000);
stopOnSignal(() => servers.stop());

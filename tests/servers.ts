import { printSteps } from '../start/process/terminal.ts';
import { stopOnSignal } from '../start/servers/signals.ts';
import { startServers } from './support/servers.ts';

/** Runs PostgreSQL and Temporal for tests until Ctrl-C. Prints the variables that point tests at them. */
const steps = printSteps((text) => process.stderr.write(`${text}\n`));
const servers = await startServers(steps.onStep);
steps.end();
process.stdout.write(`TEST_DATABASE_URL=${servers.databaseUrl}\nTEST_TEMPORAL_ADDRESS=${servers.temporalAddress}\n`);
// Child processes do not keep this process alive.
setInterval(() => {}, 60_000);
stopOnSignal(() => servers.stop());

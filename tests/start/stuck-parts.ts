import { Shutdown } from '../../start/process/run.ts';
import { closeOnce } from '../../start/servers/signals.ts';

/** A process of which two parts do not stop. */
const shutdown = new Shutdown();
setInterval(() => {}, 1_000);
closeOnce(
  500,
  async () => {
    await shutdown.stop('lamp', () => new Promise(() => {}), 100);
    await shutdown.stop('door', () => {});
    await shutdown.stop('window', () => new Promise(() => {}), 5_000);
  },
  () => console.log(`late: ${shutdown.open}`),
);
console.log('ready');

import { fastify } from 'fastify';
import { runProcess } from '../../start/process/run.ts';
import { createPlainJob, pool, type Work } from './jobs/plain.ts';
import { servePeer } from './serve-peer.ts';

/** Process the items of a job with a concurrency window. Returns the duration in milliseconds. */
async function runLoop(work: Work): Promise<number> {
  const job = await createPlainJob(work);
  const started = performance.now();
  const queue = job.itemIds.values();
  const lane = async () => {
    for (const id of queue) await job.complete(id);
  };
  await Promise.all(Array.from({ length: job.window }, lane));
  await job.finish();
  return performance.now() - started;
}

await runProcess('jobs peer', async () => {
  const app = fastify({ bodyLimit: 10 * 1024 * 1024 });
  app.post<{ Body: Work }>('/run', async ({ body }) => ({ ms: await runLoop(body) }));
  return servePeer(app, pool);
});

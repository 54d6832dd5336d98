import { randomUUID } from 'node:crypto';
import { Queue, Worker } from 'bullmq';
import { fastify } from 'fastify';
import { PgBoss } from 'pg-boss';
import { runProcess } from '../../start/process/run.ts';
import { createPlainJob, type PlainJob, pool, type Work } from './jobs/plain.ts';
import { startRedis } from './redis.ts';
import { servePeer } from './serve-peer.ts';

/** Processes all items of a job by a queue that survives a crash of any process, and repeats the items that were running. */
type Drain = (job: PlainJob) => Promise<void>;

/** Lanes that fetch one item each; the worker of the package waits half a second between its fetches. */
const pgBoss = (boss: PgBoss): Drain =>
  async function drain({ itemIds, window, complete }) {
    const queue = randomUUID();
    await boss.createQueue(queue);
    await boss.insert(
      queue,
      itemIds.map((id) => ({ data: { id } })),
    );
    const lane = async () => {
      for (;;) {
        const [item] = await boss.fetch<{ id: string }>(queue);
        if (!item) return;
        await complete(item.data.id);
        await boss.complete(queue, item.id);
      }
    };
    await Promise.all(Array.from({ length: window }, lane));
    await boss.deleteQueue(queue);
  };

const bullMq = (port: number): Drain => {
  const connection = { host: '127.0.0.1', port, maxRetriesPerRequest: null };
  return async function drain({ itemIds, window, complete }) {
    const name = randomUUID();
    const queue = new Queue<{ id: string }>(name, { connection, defaultJobOptions: { removeOnComplete: true } });
    await queue.addBulk(itemIds.map((id) => ({ name: 'item', data: { id } })));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let completed = 0;
    const worker = new Worker<{ id: string }>(name, ({ data }) => complete(data.id), { connection, concurrency: window });
    worker.on('failed', (_, error) => reject(error)).on('error', reject);
    worker.on('completed', () => {
      completed += 1;
      if (completed === itemIds.length) resolve();
    });
    await promise;
    await worker.close();
    await queue.obliterate();
    await queue.close();
  };
};

/** Process a job by a queue. Returns the duration in milliseconds, from the first write into the queue on. */
async function run(work: Work, drain: Drain): Promise<number> {
  const job = await createPlainJob(work);
  const started = performance.now();
  await drain(job);
  await job.finish();
  return performance.now() - started;
}

await runProcess('queues peer', async () => {
  const boss = new PgBoss({ connectionString: process.env.DATABASE_URL!, max: 20 });
  await boss.start();
  const redis = await startRedis();
  const drains: Record<string, Drain> = { 'pg-boss': pgBoss(boss), ...(redis && { BullMQ: bullMq(redis.port) }) };
  const app = fastify({ bodyLimit: 10 * 1024 * 1024 });
  app.get('/queues', async () => Object.keys(drains));
  app.post<{ Body: Work; Params: { queue: string } }>('/queues/:queue/run', async ({ body, params }) => ({
    ms: await run(body, drains[params.queue]!),
  }));
  return servePeer(app, { end: async () => void (await Promise.all([boss.stop(), pool.end(), redis?.stop()])) });
});

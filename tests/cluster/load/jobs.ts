import { type Catalog, openCatalog, type Sample } from '../../faults/kinds.ts';
import { followJob, type Update } from '../../support/follow.ts';
import { database } from '../../support/seed.ts';
import type { Receiver } from '../../webhooks/receiver.ts';
import { Accounts } from './ledger.ts';
import { type Account, type Attempts, eventually, persist, type Workload } from './workload.ts';

interface Options {
  sample: Sample;
  /** Items of each job. */
  count: number;
  /** Directive for the model provider. */
  directive: string;
  /** Start another job when one has ended. */
  again: boolean;
  url: string;
  databaseUrl: string;
  receiver: Receiver;
  attempts: Attempts;
}

interface Started {
  catalog: Catalog;
  jobId: string;
  followed: Promise<Update[]>;
}

/** Time in which a job must end after the last fault. */
const PATIENCE = 300_000;
const ENDED = `select status not in ('pending', 'processing') and processed_count = total_count as ended from catalog.jobs where id = $1`;
const ITEMS = `select count(*) filter (where status = 'completed')::int as completed, count(*) filter (where status = 'failed')::int as failed
                 from catalog.job_items where job_id = $1`;
const DELIVERIES = `select event, count(*)::int as rows, bool_or(status = 'delivered') as delivered, bool_and(status = 'failed') as failed
                      from webhooks.deliveries where organization_id = $1 group by event`;

/** Jobs of one kind, each with a subscriber and a webhook, in an organization of its own. */
export function jobs({ sample, count, directive, again, url, databaseUrl, receiver, attempts }: Options): Workload {
  const hasEnded = async (jobId: string) => (await database(databaseUrl).query(ENDED, [jobId])).rows[0]?.ended === true;

  const start = async (): Promise<Started> => {
    const catalog = await openCatalog(url, databaseUrl, sample.attributes, 10 * count * sample.price);
    if (sample.events.length > 0) {
      const body = { action: 'create', url: receiver.url, eventType: sample.events };
      const { status } = await catalog.api.post(`/api/${catalog.slug}/webhooks`, body);
      if (status >= 300) throw new Error(`status ${status}`);
    }
    const jobId = await sample.start(catalog, count, directive);
    const followed = followJob({ url: () => url, key: catalog.key, jobId }).then(({ updates }) => updates);
    followed.catch(() => {});
    return { catalog, jobId, followed };
  };

  const accounts = sample.events.length > 0 ? [items, updates, deliveries] : [items, updates];
  const totals = new Accounts();
  const unsettled = new Set<Promise<void>>();
  /** Account a job and drop it, so that a long run needs no more memory. */
  const settle = (job: Started, signal: AbortSignal): void => {
    const settling = (async () => {
      // While faults continue, a job may take any time.
      await eventually(async () => signal.aborted || (await hasEnded(job.jobId)), Number.POSITIVE_INFINITY);
      await eventually(() => hasEnded(job.jobId), PATIENCE);
      for (const account of accounts) totals.add(await persist(() => account(job)));
    })().finally(() => unsettled.delete(settling));
    unsettled.add(settling);
  };

  return {
    async run(signal) {
      do {
        const job = await attempts.repeat(`start of ${sample.kind}`, start, signal);
        if (!job) return;
        settle(job, signal);
        await eventually(async () => signal.aborted || (await hasEnded(job.jobId)), PATIENCE);
      } while (again && !signal.aborted);
    },
    async settle() {
      await Promise.all(unsettled);
      return totals.list();
    },
  };

  async function items({ catalog, jobId }: Started): Promise<Account> {
    const { completed, failed } = (await database(databaseUrl).query(ITEMS, [jobId])).rows[0];
    const { charges, refunds, shown, shownOnce } = await catalog.trace(jobId);
    const { rows } = await database(databaseUrl).query(sample.written, [jobId]);
    const results = (rows[0]?.rows ?? 0) - completed * sample.each;
    const doubled = shown - shownOnce + Math.max(0, charges - refunds - completed) + Math.max(0, results);
    return {
      name: `items of ${sample.kind}`,
      accepted: count,
      done: completed,
      lost: count - completed - failed,
      doubled,
      failed,
      suspects: [jobId],
    };
  }

  async function updates({ jobId, followed }: Started): Promise<Account> {
    const seen = await followed.catch((): Update[] => []);
    const ids = seen.flatMap(({ items: each }) => each.map(({ id }) => id));
    const sequences = seen.map(({ sequence }) => sequence);
    const repeated = sequences.length - new Set(sequences).size;
    const done = new Set(ids).size;
    return {
      name: 'items in updates',
      accepted: count,
      done,
      lost: count - done,
      doubled: ids.length - done + repeated,
      suspects: [jobId],
    };
  }

  async function deliveries({ jobId, catalog }: Started): Promise<Account> {
    const read = async () =>
      (await database(databaseUrl).query(DELIVERIES, [catalog.id])).rows as { rows: number; delivered: boolean; failed: boolean }[];
    const { length } = sample.events;
    const hasEnded = ({ delivered, failed }: { delivered: boolean; failed: boolean }) => delivered || failed;
    await eventually(async () => (await read()).filter(hasEnded).length === length, PATIENCE);
    const rows = await read();
    const done = rows.filter(({ delivered }) => delivered).length;
    // These webhooks make one attempt, and the log of the tenant has its result.
    const failed = rows.filter((each) => each.failed).length;
    const doubled = rows.reduce((sum, each) => sum + each.rows - 1, 0);
    return { name: 'webhook events', accepted: length, done, lost: length - done - failed, doubled, failed, suspects: [jobId] };
  }
}

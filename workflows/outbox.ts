import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  WorkflowIdReusePolicy,
  WorkflowNotFoundError,
} from '@temporalio/client';
import type { Pool } from 'pg';
import { log } from '../subgraphs/common/log.ts';
import type { Notifications } from '../subgraphs/common/notifications.ts';
import type { Topic, Topics } from '../subgraphs/common/outbox.ts';
import { searchAttributes, stopSignal, workflowId } from './contract.ts';

type Handlers = { [T in Topic]: (payload: Topics[T]) => Promise<void> };

/** What each topic asks for. A handler may run again after a crash. */
export const handlers = (client: Client, taskQueue: string): Handlers => ({
  async 'job.start'(job) {
    const { organizationId, kind } = job;
    await client.workflow
      .start('runJob', {
        taskQueue,
        workflowId: workflowId(job),
        args: [job],
        staticSummary: `${kind} for organization ${organizationId}`,
        typedSearchAttributes: [
          { key: searchAttributes.organization, value: organizationId },
          { key: searchAttributes.kind, value: kind },
          { key: searchAttributes.status, value: 'pending' },
        ],
        workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      })
      .catch(unless(WorkflowExecutionAlreadyStartedError));
  },

  async 'job.stop'(job) {
    await client.workflow.getHandle(workflowId(job)).signal(stopSignal).catch(unless(WorkflowNotFoundError));
  },
});

const unless = (known: abstract new (...args: never[]) => Error) => (error: unknown) => {
  if (!(error instanceof known)) throw error;
};

const CLAIM = `
  update identity.outbox set attempts = attempts + 1, due_at = now() + least(interval '1 second' * power(2, attempts), interval '5 minutes')
   where id in (select id from identity.outbox where due_at <= now() order by id limit 20 for update skip locked)
  returning id, topic, payload`;

interface Row {
  id: string;
  topic: Topic;
  payload: never;
}

/**
 * Hand on what the outbox holds: at once when a transaction filled it, and every few seconds for what failed before. A row is
 * claimed for a while and deleted when it is done, so a process that dies in between leaves it to the next.
 */
export function relayOutbox(pool: Pool, notifications: Notifications, handle: Handlers): () => Promise<void> {
  let running: Promise<void> | undefined;
  let again = false;

  const drain = async () => {
    for (let claimed = 1; claimed > 0; ) {
      const { rows } = await pool.query<Row>(CLAIM);
      claimed = rows.length;
      await Promise.all(rows.map(handOn));
    }
  };
  const handOn = async ({ id, topic, payload }: Row) => {
    try {
      await handle[topic](payload);
      await pool.query('delete from identity.outbox where id = $1', [id]);
    } catch (error) {
      log.warn({ err: error, topic, id }, 'an outbox row was not handed on; it will be tried again');
    }
  };
  const wake = () => {
    again = true;
    running ??= (async () => {
      while (again) {
        again = false;
        await drain().catch((error: unknown) => log.warn({ err: error }, 'the outbox could not be read'));
      }
      running = undefined;
    })();
  };

  const silence = notifications.on('outbox', wake);
  const timer = setInterval(wake, 2_000);
  wake();
  return async () => {
    clearInterval(timer);
    silence();
    again = false;
    await running;
  };
}

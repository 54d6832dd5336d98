import { Notifications } from '../../platform/queues/notifications.ts';
import { QueueWorker } from '../../platform/queues/queue-worker.ts';
import { until } from '../support/until.ts';

let notifications: Notifications;
beforeAll(async () => {
  notifications = await new Notifications(process.env.TEST_DATABASE_URL!).open();
});
afterAll(() => notifications.close());

/** A queue in memory. `finish` ends the work on the oldest item in progress. */
function openQueue(due: number[], width: number) {
  const done: number[] = [];
  const running: (() => void)[] = [];
  const worker = new QueueWorker<number>({
    name: 'test',
    width,
    interval: 3_600_000,
    channel: 'queue-test',
    notifications,
    claim: async (free) => due.splice(0, free),
    work: async (item) => {
      await new Promise<void>((finish) => running.push(finish));
      done.push(item);
    },
  });
  return { worker, done, finish: () => running.shift()!(), inProgress: () => running.length };
}

test('notifications while all slots are busy do not stop the queue', async () => {
  const due = [1, 2, 3];
  const { worker, done, finish, inProgress } = openQueue(due, 1);
  await until(() => inProgress() === 1);
  await worker.fill();
  await Promise.all([worker.fill(), worker.fill()]);
  for (let item = 1; item <= 3; item += 1) {
    finish();
    await until(() => done.length === item);
    if (item < 3) await until(() => inProgress() === 1);
    await worker.fill();
  }
  expect(done).toEqual([1, 2, 3]);
  await worker.close(0);
});

test('an item that arrives during a claim is claimed by the same call', async () => {
  const due: number[] = [];
  const { worker, inProgress } = openQueue(due, 10);
  const first = worker.fill();
  due.push(1);
  await Promise.all([first, worker.fill()]);
  expect(inProgress()).toBe(1);
  await worker.close(0);
});

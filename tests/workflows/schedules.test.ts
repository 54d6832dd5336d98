import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { prepareNamespace, scheduleIds } from '../../workflows/namespace.ts';
import { until } from '../support/until.ts';

const taskQueue = `schedules-${randomUUID()}`;
const connection = await Connection.connect({ address: process.env.TEST_TEMPORAL_ADDRESS! });
const client = new Client({ connection });
const id = scheduleIds(taskQueue).find((each) => each.startsWith('webhook-delivery/'))!;
const schedule = client.schedule.getHandle(id);
afterAll(async () => {
  await Promise.all(scheduleIds(taskQueue).map((each) => client.schedule.getHandle(each).delete()));
  await connection.close();
});

/** The action of a schedule, and whether an operator has paused it. */
async function definition() {
  const { spec, action, state } = await schedule.describe();
  return { every: spec.intervals!.map(({ every }) => every), args: action.args, paused: state.paused };
}

test('a schedule that another version created gets the definition of this one, and stays paused', async () => {
  const prepare = () => prepareNamespace(connection, client, taskQueue);
  expect(await prepare()).toBe(true);
  const current = { every: [60_000], args: ['webhook-delivery', '2 minutes'], paused: false };
  expect(await definition()).toEqual(current);

  await schedule.update((previous) => ({
    ...previous,
    spec: { intervals: [{ every: '5 minutes' }] },
    action: { ...previous.action, args: ['webhook-delivery', '30 seconds'] },
  }));
  // Temporal applies a change of a schedule after it has answered, and one that comes with it may replace a pause.
  await until(async () => (await definition()).every[0] === 300_000);
  await schedule.pause();
  await until(async () => (await definition()).paused);
  expect(await definition()).toEqual({ every: [300_000], args: ['webhook-delivery', '30 seconds'], paused: true });
  expect(await prepare()).toBe(true);
  expect(await definition()).toEqual({ ...current, paused: true });
});

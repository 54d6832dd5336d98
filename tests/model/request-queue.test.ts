import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { ChatWaits, inBackground, inChat, RequestQueue, type RequestSlot } from '../../platform/model/request-queue.ts';
import { Notifications } from '../../platform/queues/notifications.ts';
import { until } from '../support/until.ts';

const LIMITS = { timeoutMs: 600_000, limit: 1_000 };
const turnsOf = ({ timeoutMs, limit }: typeof LIMITS = LIMITS) => new RequestQueue(limit, timeoutMs);

/** Requests of an organization, whose turns the test ends. */
function ask(turns: RequestQueue, organizationId: string, count: number, signal?: AbortSignal) {
  const begun: RequestSlot[] = [];
  const failed: unknown[] = [];
  for (let at = 0; at < count; at += 1)
    inBackground(organizationId, () => turns.enter('small', signal)).then(
      (turn) => begun.push(turn),
      (error: unknown) => failed.push(error),
    );
  return { begun, failed };
}

test('requests of jobs begin with two at a time, and the rest waits in the process', async () => {
  const turns = turnsOf();
  const { begun } = ask(turns, 'acme', 5);
  await sleep(10);
  expect(begun).toHaveLength(2);
  expect(turns.isBehind).toBe(true);
  begun[0]!.end();
  await sleep(10);
  expect(begun).toHaveLength(3);
});

test('organizations share the turns evenly, however much each asks for', async () => {
  const turns = turnsOf({ ...LIMITS, limit: 2 });
  const [large, small] = [ask(turns, 'large', 20), ask(turns, 'small', 3)];
  for (let round = 0; round < 6; round += 1) {
    await sleep(5);
    for (const turn of [...large.begun, ...small.begun]) turn.end();
    if (round < 3) expect(small.begun.length).toBeGreaterThanOrEqual(round);
    large.begun.length = 0;
  }
  expect(small.begun).toHaveLength(3);
});

test('a request that is given up while it waits leaves the queue', async () => {
  const turns = turnsOf();
  const { begun } = ask(turns, 'acme', 2);
  const controller = new AbortController();
  const waiting = ask(turns, 'acme', 1, controller.signal);
  const next = ask(turns, 'acme', 1);
  await sleep(10);
  controller.abort(new Error('stopped'));
  await sleep(10);
  expect(waiting.failed).toEqual([new Error('stopped')]);
  begun[0]!.end();
  await sleep(10);
  expect(next.begun).toHaveLength(1);
});

test('the limit of the operator holds for jobs and chats together, and chats come first', async () => {
  const turns = turnsOf({ ...LIMITS, limit: 1 });
  const job = ask(turns, 'acme', 2);
  const chats: RequestSlot[] = [];
  void turns.enter('small').then((turn) => chats.push(turn));
  await sleep(10);
  expect([job.begun.length, chats.length]).toEqual([1, 0]);
  job.begun[0]!.end();
  await sleep(10);
  expect([job.begun.length, chats.length]).toEqual([1, 1]);
  chats[0]!.end();
  await sleep(10);
  expect(job.begun).toHaveLength(2);
});

test('a flood of chats of one organization does not hold up the chat of another', async () => {
  const turns = turnsOf({ ...LIMITS, limit: 2 });
  const begun: string[] = [];
  const gone = new AbortController();
  const chat = (organizationId: string) =>
    inChat(organizationId, () => turns.enter('small', gone.signal)).then((turn) => {
      begun.push(organizationId);
      return turn;
    });
  const flood = Array.from({ length: 20 }, () => chat('large'));
  void chat('small');
  const [first] = await Promise.all(flood.slice(0, 2));
  first!.end();
  await sleep(5);
  expect(begun).toEqual(['large', 'large', 'small']);
  gone.abort();
  await Promise.allSettled(flood);
});

test('a flood of chats leaves jobs a request each ten seconds', async () => {
  const turns = turnsOf({ ...LIMITS, limit: 1 });
  const control = new AbortController();
  const chat = async () => {
    while (!control.signal.aborted) {
      const turn = await turns.enter('small');
      await sleep(20);
      turn.end();
    }
  };
  const flood = Promise.all(Array.from({ length: 5 }, chat));
  await sleep(10);
  const { begun } = ask(turns, 'acme', 2);
  await until(async () => begun.length === 1);
  begun[0]!.end();
  const ended = performance.now();
  await until(async () => begun.length === 2);
  expect(performance.now() - ended).toBeGreaterThan(8_000);
  begun[1]!.end();
  control.abort();
  await flood;
});

/** The notices of one process about chats. */
async function openProcess(provider = 'models.example') {
  const url = process.env.TEST_DATABASE_URL!;
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  const notifications = await new Notifications(url).open();
  const chatWaits = new ChatWaits(pool, notifications, provider);
  return {
    chatWaits,
    async [Symbol.asyncDispose]() {
      chatWaits.close();
      await notifications.close();
      await pool.end();
    },
  };
}

test('jobs of one process yield half of their turns while a chat of another process waits for its first token', async () => {
  await using gateway = await openProcess();
  await using other = await openProcess('other.example');
  await using worker = await openProcess();
  const [chat, jobs] = [turnsOf(), turnsOf()];
  chat.shareWith(gateway.chatWaits);
  jobs.shareWith(worker.chatWaits);
  await sleep(100);
  const turn = await chat.enter('small');
  await until(async () => worker.chatWaits.isWaiting);
  // Another provider has a queue of its own.
  expect(other.chatWaits.isWaiting).toBe(false);
  const { begun } = ask(jobs, 'acme', 4);
  await sleep(50);
  expect(begun).toHaveLength(1);
  turn.answered();
  await until(async () => !worker.chatWaits.isWaiting);
  await until(async () => begun.length === 2);
  turn.end();
});

test('a process that ends while a chat waits holds up jobs for seconds only', async () => {
  await using worker = await openProcess();
  {
    await using gateway = await openProcess();
    gateway.chatWaits.begin();
    await until(async () => worker.chatWaits.isWaiting);
  }
  await until(async () => !worker.chatWaits.isWaiting);
});

test('a chat that is answered at once is not announced', async () => {
  await using gateway = await openProcess();
  await using worker = await openProcess();
  await sleep(100);
  gateway.chatWaits.begin()();
  await sleep(300);
  expect(worker.chatWaits.isWaiting).toBe(false);
});

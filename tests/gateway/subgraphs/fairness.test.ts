import type { Socket } from 'node:net';
import { HttpPool } from '../../../gateway/sources/http1/http-pool.ts';
import { until } from '../../support/until.ts';
import { plain, serve, stack, wait } from '../support/http1-server.ts';

/** A server that answers when the test says so, and a pool of eight connections to it. */
async function open() {
  const running = new Map<string, () => void>();
  const arrivals: string[] = [];
  const server = await serve((socket, body) => {
    arrivals.push(body);
    running.set(body, () => socket.write(plain(body)));
  });
  const pool = new HttpPool(new URL(`http://127.0.0.1:${server.port}`), { timeoutMs: 100_000, connections: 8 });
  stack.defer(() => pool.close());
  const send = (owner: string | undefined, body: string) => pool.request('POST / HTTP/1.1\r\nhost: x\r\n', body, undefined, owner);
  const arrived = async (count: number) => {
    while (arrivals.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 50));
    return arrivals;
  };
  const answer = (body: string) => {
    running.get(body)!();
    running.delete(body);
  };
  return { send, arrived, answer, running };
}

const bodies = (owner: string, count: number) => Array.from({ length: count }, (_, at) => `${owner}${at}`);

test('an owner holds at most as many connections as it leaves free, so that others are served', async () => {
  const { send, arrived, answer, running } = await open();
  const pending = bodies('flood', 20).map((body) => send('flood', body));
  expect(await arrived(4)).toEqual(bodies('flood', 4));
  const other = send('other', 'other');
  expect((await arrived(5)).at(-1)).toBe('other');
  answer('other');
  expect(await other).toMatchObject({ text: 'other' });
  expect(await arrived(5)).toHaveLength(5);
  for (let done = 0; done < 20; ) {
    for (const body of [...running.keys()]) {
      answer(body);
      done += 1;
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  expect((await Promise.all(pending)).map(({ text }) => text)).toEqual(bodies('flood', 20));
});

test('waiting owners take turns', async () => {
  const { send, arrived, answer } = await open();
  const first = bodies('any', 8);
  const all = first.map((body) => send(undefined, body));
  await arrived(8);
  const waiting = [...bodies('a', 3), ...bodies('b', 3)].map((body) => send(body[0], body));
  for (const body of first) answer(body);
  const order = (await arrived(14)).slice(8);
  expect(order).toEqual(['a0', 'b0', 'a1', 'b1', 'a2', 'b2']);
  for (const body of order) answer(body);
  expect(await Promise.all([...all, ...waiting])).toHaveLength(14);
});

test('a response starts all waiting requests that it makes room for', async () => {
  const { send, arrived, answer, running } = await open();
  const pending = [...bodies('a', 4), 'b0', 'c0', 'd0', 'c1', 'd1'].map((body) => send(body[0], body));
  expect(await arrived(7)).toHaveLength(7);
  answer('d0');
  expect((await arrived(9)).slice(7)).toEqual(['c1', 'd1']);
  for (const body of [...running.keys()]) answer(body);
  expect(await Promise.all(pending)).toHaveLength(9);
});

test('requests beyond the room that others leave in the queue fail at once', async () => {
  const { send, arrived, running, answer } = await open();
  const flood = bodies('flood', 3_000).map((body) =>
    send('flood', body).then(
      () => 'served',
      ({ message }: Error) => message,
    ),
  );
  const other = send('other', 'other');
  await arrived(5);
  let end = false;
  const served = Promise.all([...flood, other]).finally(() => {
    end = true;
  });
  while (!end) {
    for (const body of [...running.keys()]) answer(body);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const results = await served;
  // Four on connections, and half of 4,096 in the queue.
  expect(results.filter((each) => each === 'served')).toHaveLength(2_052);
  expect(results.filter((each) => each === 'Too many requests wait for the server')).toHaveLength(948);
});

test('an owner holds at most as many connections as it leaves free after idle ones have expired', async () => {
  const sockets = new Map<string, Socket>();
  const server = await serve((socket, body) => void sockets.set(body, socket));
  // Idle connections are checked every 250 ms at best, so a request can arrive before the check.
  class UncheckedPool extends HttpPool {
    protected override check(): void {}
  }
  const pool = new UncheckedPool(new URL(`http://127.0.0.1:${server.port}`), { timeoutMs: 100_000, connections: 8 });
  stack.defer(() => pool.close());
  const send = (owner: string | undefined, body: string) => pool.request('POST / HTTP/1.1\r\nhost: x\r\n', body, undefined, owner);
  const answerAll = () => {
    for (const [body, socket] of sockets) socket.write(plain(body, 'keep-alive: timeout=3\r\n'));
    sockets.clear();
  };
  const first = bodies('any', 8).map((body) => send(undefined, body));
  await until(() => sockets.size === 8);
  answerAll();
  await Promise.all(first);

  const flood = Promise.allSettled(bodies('flood', 20).map((body) => send('flood', body)));
  await until(() => sockets.size === 4);
  // The other four connections expire.
  await wait(1_200);
  sockets.get('flood0')!.destroy();
  sockets.delete('flood0');
  await until(() => sockets.has('flood4'));
  await wait(300);
  expect([...sockets.keys()]).toEqual(['flood1', 'flood2', 'flood3', 'flood4']);
  let isDone = false;
  void flood.then(() => (isDone = true));
  await until(() => {
    answerAll();
    return isDone;
  });
});

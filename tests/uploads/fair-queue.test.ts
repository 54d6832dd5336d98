import { FairQueue } from '../../platform/queues/background.ts';

/** Starts work that ends when the test calls `end`. */
function worker(queue: FairQueue, begun: string[]) {
  return (owner: string, name = owner, signal?: AbortSignal) => {
    const end = Promise.withResolvers<void>();
    const work = async () => {
      begun.push(name);
      await end.promise;
    };
    const done = queue.run(owner, work, signal);
    return { done, end: end.resolve, fail: end.reject };
  };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('concurrency is limited globally, and to one per owner', async () => {
  const begun: string[] = [];
  const work = worker(new FairQueue(2), begun);
  const first = work('ada', 'ada 1');
  const [second, bob, eve] = [work('ada', 'ada 2'), work('bob'), work('eve')];
  await settled();
  expect(begun).toEqual(['ada 1', 'bob']);
  first.end();
  await first.done;
  await settled();
  expect(begun).toEqual(['ada 1', 'bob', 'ada 2']);
  for (const each of [second, bob, eve]) each.end();
  await Promise.all([second.done, bob.done, eve.done]);
  expect(begun).toEqual(['ada 1', 'bob', 'ada 2', 'eve']);
});

test('an owner whose work took long is behind those that came later', async () => {
  const begun: string[] = [];
  const queue = new FairQueue(1);
  const slow = queue.run('ada', () => new Promise((resolve) => setTimeout(resolve, 1_100)));
  const work = worker(queue, begun);
  const [second, bob] = [work('ada', 'ada 2'), work('bob')];
  await slow;
  for (const each of [second, bob]) each.end();
  await Promise.all([second.done, bob.done]);
  expect(begun).toEqual(['bob', 'ada 2']);
});

test('failing work releases its slot', async () => {
  const begun: string[] = [];
  const work = worker(new FairQueue(1), begun);
  const [first, second] = [work('ada', 'ada 1'), work('ada', 'ada 2')];
  first.fail(new Error('broken'));
  await expect(first.done).rejects.toThrow('broken');
  second.end();
  await second.done;
  expect(begun).toEqual(['ada 1', 'ada 2']);
});

test('a canceled waiter leaves the queue and blocks nobody', async () => {
  const begun: string[] = [];
  const work = worker(new FairQueue(1), begun);
  const gone = new AbortController();
  const [first, second, third] = [work('ada', 'ada 1'), work('ada', 'ada 2', gone.signal), work('ada', 'ada 3')];
  gone.abort(new Error('gone'));
  await expect(second.done).rejects.toThrow('gone');
  await expect(work('bob', 'bob', gone.signal).done).rejects.toThrow('gone');
  for (const each of [first, third]) each.end();
  await Promise.all([first.done, third.done]);
  expect(begun).toEqual(['ada 1', 'ada 3']);
});

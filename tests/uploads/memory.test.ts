import { ByteBudget } from '../../platform/database/byte-budget.ts';
import { loadImages } from '../../subgraphs/catalog/enrichment/sources.ts';
import type { Job } from '../../subgraphs/catalog/jobs/entity.ts';
import type { WorkScope } from '../../subgraphs/catalog/jobs/job-kind.ts';
import { ItemMemory } from '../../subgraphs/catalog/jobs/job-kind.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Reserves bytes, and lists the names in the order of their turns. */
function queueAt(budget: ByteBudget, begun: string[]) {
  return (owner: string, bytes: number, signal?: AbortSignal) => {
    const reserved = budget.reserve(owner, bytes, signal);
    reserved.then(() => begun.push(`${owner} ${bytes}`)).catch(() => {});
    return reserved;
  };
}

test('work waits for bytes, and the owner that holds least goes first', async () => {
  const begun: string[] = [];
  const take = queueAt(new ByteBudget(100), begun);
  const [first, second] = await Promise.all([take('ada', 40), take('ada', 35)]);
  // A quarter is for the others.
  const [third, bob] = [take('ada', 10), take('bob', 25)];
  await settled();
  expect(begun).toEqual(['ada 40', 'ada 35', 'bob 25']);
  const [more, eve] = [take('bob', 30), take('eve', 20)];
  first.release();
  first.release();
  await settled();
  expect(begun.slice(3)).toEqual(['eve 20']);
  second.resize(5);
  await settled();
  expect(begun.slice(4)).toEqual(['ada 10']);
  for (const each of [second, await third, await bob, await eve]) each.release();
  await more;
});

test('work larger than the budget runs alone, and a canceled waiter blocks nobody', async () => {
  const begun: string[] = [];
  const take = queueAt(new ByteBudget(100), begun);
  const first = await take('ada', 10);
  const gone = new AbortController();
  const canceled = take('bob', 900, gone.signal);
  const small = take('cid', 10);
  await settled();
  expect(begun).toEqual(['ada 10']);
  gone.abort(new Error('gone'));
  await expect(canceled).rejects.toThrow('gone');
  await expect(take('bob', 1, gone.signal)).rejects.toThrow('gone');
  (await small).release();
  const large = take('ada', 500);
  const later = take('dan', 1);
  await settled();
  expect(begun).toEqual(['ada 10', 'cid 10', 'dan 1']);
  first.release();
  (await later).release();
  const after = take('eve', 1);
  await settled();
  expect(begun.at(-1)).toBe('ada 500');
  (await large).release();
  (await after).release();
});

test('the items of a job share the text of an image, and few requests with large images run at once', async () => {
  let reads = 0;
  const services = {
    pool: { query: async () => ({ rows: [{ inBucket: true }] }) },
    bucket: {
      async *get() {
        reads += 1;
        yield Buffer.from('image');
      },
    },
  };
  const files = Array.from({ length: 4 }, (_, at) => ({ id: `file ${at}`, mime: 'image/png', bytes: 8 * 1024 * 1024 }));
  let [running, most] = [0, 0];
  const process = async (organizationId: string) => {
    const memory = new ItemMemory(organizationId, AbortSignal.timeout(60_000));
    const scope = { organizationId, services, memory } as unknown as WorkScope;
    try {
      const { pictures } = await loadImages(scope, { extractImages: false } as Job, { files, pages: [], requests: 1 });
      expect(pictures).toEqual(files.map(() => 'data:image/png;base64,aW1hZ2U='));
      running += 1;
      most = Math.max(most, running);
      await settled();
      running -= 1;
    } finally {
      memory.release();
    }
  };
  await Promise.all(Array.from({ length: 20 }, () => process('acme')));
  expect([reads, most]).toEqual([4, 2]);
  await process('other');
  expect(reads).toBe(8);
});

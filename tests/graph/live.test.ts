import { caller } from '../support/client.ts';
import { color, seedCatalog } from '../support/enrichment.ts';
import { database, seedOrganization } from '../support/seed.ts';

const CHANGES = `subscription ($after: Int) {
  jobsChanged(after: $after) { sequence credits reviewCount jobs { id status processedCount } } }`;

interface Update {
  sequence: number;
  credits: number;
  reviewCount: number;
  jobs: { id: string; status: string; processedCount: number }[];
}

/** Follow the changes until one meets the condition. */
async function follow(key: string, isLast: (update: Update) => boolean, after?: number, onUpdate?: (update: Update) => void) {
  const updates: Update[] = [];
  for await (const { data, errors } of caller(key).subscribe(CHANGES, { after })) {
    if (errors) throw new Error(JSON.stringify(errors));
    updates.push(data.jobsChanged);
    onUpdate?.(data.jobsChanged);
    if (isLast(data.jobsChanged)) break;
  }
  return updates;
}

const ended = (id: string) => (update: Update) => update.jobs.some((job) => job.id === id && job.status === 'completed');

test('one subscription shows all jobs, the credits and the number of values to review', async () => {
  const catalog = await seedCatalog([color], { credits: 100 });
  const products = await catalog.addProducts([1, 2].map(() => ({ userProvidedRawDataSources: ['Color: red'] })));
  let jobs: Promise<string>[] = [];
  let started = '';
  const updates = await follow(
    catalog.key,
    ({ credits, reviewCount }) => credits === 98 && reviewCount === 2,
    undefined,
    ({ jobs: shown }) => {
      if (jobs.length === 0) jobs = products.map((id) => catalog.start([id]).then((job) => (started = job)));
      expect(new Set(shown.map(({ id }) => id)).size).toBe(shown.length);
    },
  );
  const ids = await Promise.all(jobs);
  expect(updates[0]).toEqual({ sequence: 0, credits: 100, reviewCount: 0, jobs: [] });
  const sequences = updates.map(({ sequence }) => sequence);
  expect(sequences).toEqual([...new Set(sequences)].sort((a, b) => a - b));
  // A client that resumes from any number gets the rest.
  const resumed = await follow(catalog.key, ended(started), 1);
  expect(resumed[0]!.sequence).toBeGreaterThan(1);
  expect(new Set(resumed.flatMap((update) => update.jobs.map(({ id }) => id)))).toEqual(new Set(ids));
});

test('a subscriber learns of reviews and of payments', async () => {
  const catalog = await seedCatalog([color]);
  const [product] = await catalog.addProducts([{ userProvidedRawDataSources: ['Color: red'] }]);
  const { items } = await catalog.enrich([product!]);
  const review = 'mutation ($id: ID!) { reviewItem(itemId: $id, decisions: [{ slug: "color", verdict: accept }]) { id } }';
  const updates = await follow(
    catalog.key,
    ({ reviewCount }) => reviewCount === 0,
    undefined,
    ({ reviewCount }) => reviewCount === 1 && void catalog.api.graphql(review, { id: items[0].id }),
  );
  expect(updates.map(({ reviewCount }) => reviewCount)).toEqual([1, 0]);
});

test('changes that many transactions write at once are numbered without gaps, and none is lost', async () => {
  const catalog = await seedCatalog([color]);
  const products = await catalog.addProducts(Array.from({ length: 40 }, () => ({ userProvidedRawDataSources: ['Color: red'] })));
  const jobs = await Promise.all([0, 1, 2, 3].map((part) => catalog.start(products.slice(part * 10, part * 10 + 10))));
  const seen = new Set<string>();
  const whole = await follow(
    catalog.key,
    (update) => {
      for (const { id, status } of update.jobs) if (status === 'completed') seen.add(id);
      return seen.size === jobs.length;
    },
    0,
  );
  // Creation, start and end of each job, and its items, of which some share a change.
  const { sequence } = whole.at(-1)!;
  expect(sequence).toBeGreaterThan(4 * 3);
  expect(sequence).toBeLessThanOrEqual(4 * 3 + 40);
  const { rows } = await database().query(
    'select count(*)::int, max(sequence)::int from catalog.organization_changes where organization_id = $1',
    [catalog.id],
  );
  const { count, max } = rows[0];
  expect(count).toBe(max);
  // A change can follow the end of the last job.
  const later = max > sequence ? await follow(catalog.key, (update) => update.sequence >= max, sequence) : whole;
  expect(later.at(-1)!.sequence).toBe(max);
});

test('an organization sees only its own changes', async () => {
  const catalog = await seedCatalog([color]);
  const stranger = await seedOrganization();
  const [product] = await catalog.addProducts([{ userProvidedRawDataSources: ['Color: red'] }]);
  await catalog.enrich([product!]);
  const [update] = await follow(stranger.key, () => true);
  expect(update).toMatchObject({ sequence: 0, jobs: [], reviewCount: 0 });
});

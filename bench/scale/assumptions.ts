/** A number that is not measured, and the reason for its value. */
interface Assumption {
  value: number;
  reason: string;
}

/** Values of the assumptions by name. */
export type Values = Record<string, number>;

const profile = (
  name: string,
  values: Record<(typeof usage)[number], number>,
  reasons: Partial<Record<(typeof usage)[number], string>>,
): [string, Assumption][] =>
  usage.map((key) => [`${name}.${key}`, { value: values[key], reason: reasons[key] ?? `as described for ${name}` }]);

const usage = [
  ...['share', 'products', 'productWritesPerMonth', 'itemsPerMonth', 'readsPerDay', 'repliesPerDay', 'deliveriesPerDay'],
  ...['uploadedMb'],
] as const satisfies readonly string[];

/** The kinds of organization. Their shares add up to 1. */
export const profiles = ['typical', 'busy', 'sleeping'] as const;

/** Everything that the model assumes. `--set name=value` of `bench/scale.ts` replaces a value. */
export const assumptions: Record<string, Assumption> = Object.fromEntries([
  ...profile(
    'typical',
    {
      share: 0.4,
      products: 5_000,
      productWritesPerMonth: 2_000,
      itemsPerMonth: 1_000,
      readsPerDay: 2_000,
      repliesPerDay: 50,
      deliveriesPerDay: 100,
      uploadedMb: 200,
    },
    {
      share: 'organizations that work with the product every week',
      products: 'a specialist shop',
      productWritesPerMonth: 'two fifths of the catalog change in a month: prices, stock texts, new articles',
      itemsPerMonth: 'a fifth of the catalog is enriched, validated or analyzed',
      readsPerDay: 'a shop that caches product pages for an hour',
      repliesPerDay: 'one visitor of a hundred asks the agent',
      deliveriesPerDay: 'an event for each changed product and each lead',
      uploadedMb: 'price lists, data sheets and the images of a fifth of the products',
    },
  ),
  ...profile(
    'busy',
    {
      share: 0.1,
      products: 100_000,
      productWritesPerMonth: 100_000,
      itemsPerMonth: 20_000,
      readsPerDay: 50_000,
      repliesPerDay: 1_000,
      deliveriesPerDay: 5_000,
      uploadedMb: 5_000,
    },
    {
      share: 'one in ten carries most of the load, as in most multi-tenant services',
      products: 'a distributor',
      productWritesPerMonth: 'a nightly synchronization changes a thirtieth of the catalog',
      itemsPerMonth: 'a fifth of the catalog',
      readsPerDay: 'a shop that reads each page from the API',
      repliesPerDay: 'agents on several sites',
      deliveriesPerDay: 'an event for each product of the synchronization and for its jobs',
      uploadedMb: 'as typical, for twenty times the products',
    },
  ),
  ...profile(
    'sleeping',
    {
      share: 0.5,
      products: 500,
      productWritesPerMonth: 0,
      itemsPerMonth: 0,
      readsPerDay: 20,
      repliesPerDay: 1,
      deliveriesPerDay: 0,
      uploadedMb: 20,
    },
    { share: 'trials and organizations that stopped', readsPerDay: 'monitoring and crawlers', repliesPerDay: 'a forgotten widget' },
  ),
  [
    'peak',
    { value: 8, reason: 'busiest minute over the mean of the month: ten working hours on 22 days are 3.3, bursts within them 2.4' },
  ],
  ['months', { value: 12, reason: 'age of the installation, for data without a retention' }],
  ['utilization', { value: 0.6, reason: 'share of a core that stays predictable; above it queues grow' }],
  [
    'itemSeconds',
    { value: 10, reason: 'time of an item, mostly in the model provider; the bench has a provider that answers at once' },
  ],
  ['itemTokensKb', { value: 60, reason: 'prompt with its sources and the response, to and from the provider' }],
  ['sourceKb', { value: 20, reason: 'stored source texts of an item; the bench has short ones' }],
  ['deliveryKb', { value: 4, reason: 'request and response of a delivery with headers and TLS' }],
  ['headersKb', { value: 1, reason: 'headers and TLS of a request and its response' }],
  [
    'followedJobs',
    { value: 0.2, reason: 'items of organizations with an open page; a small one watches its job, a nightly run has no page' },
  ],
  ['followedReplies', { value: 0.02, reason: 'replies that a process other than the writing one reads, after a lost connection' }],
  [
    'notifyingDeliveries',
    { value: 0, reason: 'deliveries whose own commit notifies; they are announced after it, without waiting for the disk' },
  ],
  ['slots', { value: 120, reason: 'WORKER_CONCURRENCY' }],
  ['pool', { value: 20, reason: 'DATABASE_POOL; each process adds two sessions of its own' }],
  ['postgresCores', { value: 64, reason: 'a large server that clouds rent; sessions contend above it' }],
  ['postgresTb', { value: 16, reason: 'a base backup restores within a day at 200 MB/s' }],
  ['walMbPerSecond', { value: 200, reason: 'one standby replays about this much' }],
  ['iops', { value: 64_000, reason: 'a provisioned network volume' }],
  ['connections', { value: 5_000, reason: 'server processes of PostgreSQL; beyond, pgbouncer in transaction mode' }],
  [
    'temporalActions',
    {
      value: 5_000,
      reason: 'actions a second of a Temporal cluster with PostgreSQL persistence; its own wall is not measured here',
    },
  ],
  ['temporalDays', { value: 3, reason: 'retention of closed workflows, the default of a namespace' }],
  [
    'textsPerItem',
    { value: 2, reason: 'new source texts of an item: one of the product, and pages of a search that several items share' },
  ],
  ['sweepSeconds', { value: 300, reason: 'time budget of an hourly deletion' }],
] as [string, Assumption][]);

/** The values of all assumptions, with those of `name=value` replaced. Throws for an unknown name. */
export function valuesOf(replaced: readonly string[]): Values {
  const values = Object.fromEntries(Object.entries(assumptions).map(([name, { value }]) => [name, value]));
  for (const each of replaced) {
    const [name = '', value] = each.split('=');
    if (!(name in values) || !Number.isFinite(Number(value || Number.NaN)))
      throw new Error(`--set takes a name of docs/scale.md and a number, not ${each}`);
    values[name] = Number(value);
  }
  return values;
}

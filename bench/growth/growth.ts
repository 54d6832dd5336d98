import { bodyOf, type Target } from '../load.ts';
import type { Line } from '../report.ts';
import { each, interleave } from '../rounds.ts';
import type { Bench, Note, Part } from '../system.ts';
import { LISTS, type Request, type Side } from './lists.ts';
import { seedGrowth } from './seed.ts';

const SMALL = 1_000;
const LARGE = 1_000_000;
const REQUESTS = 10;
/** At most 1.5 times the time of the small organization. */
const AIM = 0.67;

/** Each list of an organization with a million products, compared with one with a thousand in the same database. */
async function measure(bench: Bench, note: Note): Promise<Line[]> {
  const { manyproducts: large, fewproducts: small } = bench.organizations as Record<string, { id: string }>;
  const count = Math.max(bench.of(LARGE), SMALL);
  await seedGrowth(
    bench.pool,
    [
      [large!.id, count],
      [small!.id, SMALL],
    ],
    note,
  );
  const sides = [await sideOf(bench, 'manyproducts', count), await sideOf(bench, 'fewproducts', SMALL)] as const;
  const lines: Line[] = [];
  for (const [name, request] of Object.entries(LISTS)) {
    const [ours, theirs] = sides.map((side) => target(bench, side.slug, request(side))) as [Target, Target];
    const label = `${count.toLocaleString('en')} products, ${name}`;
    note(label);
    lines.push(await compare(bench.rounds, label, ours, theirs));
  }
  const change = `${count.toLocaleString('en')} products, one changed value, in PostgreSQL`;
  lines.push(await compareWrites(bench, change, sides, (text) => note(`${change}: ${text}`)));
  return lines;
}

/** Milliseconds of a statement that changes one value, with its triggers: completeness, the feed, counts, examples. */
const CHANGE = `explain (analyze, buffers, format json) update catalog.products
  set attributes = attributes || '{"finish": {"attributeName": "Finish", "attributeType": "text", "value": "oiled"}}', updated_at = now() where id = `;

async function compareWrites(
  { pool, rounds }: Bench,
  name: string,
  [large, small]: readonly [Side, Side],
  note: Note,
): Promise<Line> {
  const write = async ({ products }: Side): Promise<number> => {
    const times: number[] = [];
    for (const id of products) times.push((await pool.query(`${CHANGE}'${id}'`)).rows[0]['QUERY PLAN'][0]['Execution Time']);
    return times.reduce((sum, time) => sum + time, 0) / times.length;
  };
  const pairs = await interleave(
    rounds,
    () => write(large),
    () => write(small),
    note,
  );
  const values = each(pairs, (ofLarge, ofSmall) => ofSmall / ofLarge);
  return { name, peer: 'the same with 1,000', pairs, unit: 'ms', values, atLeast: AIM };
}

/** Times one request at a large and a small organization. */
export async function compare(rounds: number, name: string, large: Target, small: Target): Promise<Line> {
  const pairs = { ours: [] as number[], peer: [] as number[] };
  await time(large, small);
  for (let round = 0; round < rounds; round += 1) {
    const [one, other] = await time(large, small);
    pairs.ours.push(one);
    pairs.peer.push(other);
  }
  const values = each(pairs, (ofLarge, ofSmall) => ofSmall / ofLarge);
  return { name, peer: 'the same with 1,000', pairs, unit: 'ms', values, atLeast: AIM };
}

/** Median times of requests that alternate between the targets. */
async function time(a: Target, b: Target): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let request = 0; request < REQUESTS; request += 1) {
    for (const [side, of] of [a, b].entries()) {
      const start = performance.now();
      const body = await bodyOf(of);
      times[side]!.push(performance.now() - start);
      if (body.includes('"errors"')) throw new Error(`${of.body} answered ${body}`);
    }
  }
  const [one, other] = times.map((each) => each.toSorted((x, y) => x - y)[REQUESTS / 2]!) as [number, number];
  return [one, other];
}

async function sideOf(bench: Bench, slug: string, count: number): Promise<Side & { slug: string }> {
  const organizationId = bench.organizations[slug]!.id;
  const one = async (query: string) => (await bench.pool.query(query, [organizationId])).rows[0].value as string;
  const bySku = (n: number) =>
    one(`select id as value from catalog.products where organization_id = $1 and sku = 'SKU-' || lpad('${n}', 7, '0')`);
  const middle = await bodyOf(target(bench, slug, { query: `{ products(page: ${Math.floor(count / 20)}) { endCursor } }` }));
  const sorted = await bodyOf(
    target(bench, slug, {
      query: `{ products(orderBy: completeness, sortOrder: asc, page: ${Math.floor(count / 20)}) { endCursor } }`,
    }),
  );
  return {
    slug,
    count,
    product: await bySku(505),
    products: await Promise.all([1, 20, 300, 999].map(bySku)),
    parent: await bySku(500),
    job: await one('select job_id as value from catalog.job_items where organization_id = $1 order by id limit 1'),
    webhook: await one('select id as value from webhooks.subscriptions where organization_id = $1'),
    creator: await one('select user_id as value from identity.memberships where organization_id = $1'),
    cursor: JSON.parse(middle).data.products.endCursor,
    sortedCursor: JSON.parse(sorted).data.products.endCursor,
  };
}

export function target({ url, headers }: Bench, slug: string, request: Request): Target {
  if ('query' in request)
    return { url: `${url}/graphql`, headers: { ...headers, 'x-organization': slug }, body: JSON.stringify(request) };
  const [path, body] = 'search' in request ? ['products/get', request.search] : [request.path, request.body];
  return { url: `${url}/api/${slug}/${path}`, headers, body: JSON.stringify(body) };
}

export const growth: Part = { organizations: ['fewproducts', 'manyproducts'], measure };

import type { Target } from '../load.ts';
import type { Line } from '../report.ts';
import { each, interleave, type Pairs } from '../rounds.ts';
import type { Bench, Note, Part } from '../system.ts';
import { target } from './growth.ts';
import { seedGrowth } from './seed.ts';

const PRODUCTS = 1_000_000;
const REQUESTS = 10;

/** The start page of the dashboard, which defers what is slow, and its product page, which shows whether it should. */
const QUERIES: Record<string, (defer: string, product: string) => string> = {
  'start page': (defer) => `{ catalogStats { completenessDays(days: 14) { day percent } }
    ... ${defer} { catalogStats { ... ${defer} { completeness { products complete percent requiredPercent } } } } }`,
  'product page': (defer, product) => `{ product(id: "${product}") { id name sku brand variants { id } images { id url }
    ... ${defer} { completeness { percent missing { id } } values { slug value confidence decision { verdict } job { id } } } } }`,
};

/** Times of the first and the last part of a response, beside the same query without `@defer`. */
async function measure(bench: Bench, note: Note): Promise<Line[]> {
  const { id } = bench.organizations.parts!;
  const count = Math.max(bench.of(PRODUCTS), 1_000);
  await seedGrowth(bench.pool, [[id, count]], note);
  const { rows } = await bench.pool.query(
    'select id from catalog.products where organization_id = $1 order by sku offset 505 limit 1',
    [id],
  );
  const lines: Line[] = [];
  for (const [page, write] of Object.entries(QUERIES)) {
    const queryWith = (defer: string) => target(bench, 'parts', { query: write(defer, rows[0].id) });
    const [ours, peer] = [queryWith('@defer'), queryWith('@include(if: true)')];
    const pairs = await interleave(
      bench.rounds,
      () => medianTimes(ours),
      () => medianTimes(peer),
      (text) => note(`${page}: ${text}`),
    );
    for (const part of ['first', 'last'] as const) {
      const times: Pairs = { ours: pairs.ours.map((time) => time[part]), peer: pairs.peer.map(({ last }) => last) };
      const name = `${count.toLocaleString('en')} products, ${page}, ${part} part`;
      lines.push({
        ...{ name, peer: 'the same without @defer', pairs: times, unit: 'ms' },
        ...{ values: each(times, (inParts, whole) => whole / inParts), ...(part === 'last' && { atLeast: 0.5 }) },
      });
    }
  }
  return lines;
}

interface Times {
  first: number;
  last: number;
}

async function medianTimes(of: Target): Promise<Times> {
  const all: Times[] = [];
  for (let request = 0; request < REQUESTS; request += 1) all.push(await timesOf(of));
  const median = (part: keyof Times) => all.map((each) => each[part]).toSorted((a, b) => a - b)[REQUESTS / 2]!;
  return { first: median('first'), last: median('last') };
}

/** Milliseconds until the first part and until the end. */
async function timesOf({ url, headers, body }: Target): Promise<Times> {
  const start = performance.now();
  const accept = 'multipart/mixed, application/json';
  const response = await fetch(url, { method: 'POST', headers: { ...headers, accept }, body });
  const decoder = new TextDecoder();
  let text = '';
  let first: number | undefined;
  for await (const chunk of response.body!) {
    text += decoder.decode(chunk, { stream: true });
    // The first part ends with the boundary before the next.
    if (text.indexOf('\r\n---', 5) > 0) first ??= performance.now() - start;
  }
  if (!response.ok || text.includes('"errors"')) throw new Error(`${body} answered ${text}`);
  const last = performance.now() - start;
  return { first: first ?? last, last };
}

export const answerParts: Part = { organizations: ['parts'], measure };

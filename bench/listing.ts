import { bodyOf, requestsPerSecond, type Target } from './load.ts';
import type { Line } from './report.ts';
import { each, interleave } from './rounds.ts';
import { type Bench, SIZES } from './system.ts';

const ROUNDS = 5;
const SECONDS = 4;

type Note = (text: string) => void;

/** Ten of 100,000 products through the whole face, beside the same bytes from an endpoint written by hand. */
export async function measureListing(bench: Bench, note: Note): Promise<Line[]> {
  const ours = target(bench, 'large', {});
  const peer = { ...ours, url: `${bench.peers.listing}/api/large/products/get` };
  const [body, peerBody] = [await bodyOf(ours), await bodyOf(peer)];
  if (body !== peerBody) throw new Error(`The peer does not give the same bytes:\n${body}\n${peerBody}`);
  return [await compare('10 of 100,000 products', 'Fastify + pg by hand, without keys and limits', 0.4, ours, peer, note)];
}

/** The same page of a large and a small catalog. */
export async function measureGrowth(bench: Bench, note: Note): Promise<Line[]> {
  const lines: Line[] = [];
  for (const [name, body, aim] of [
    ['first page', {}, 0.8],
    ['first page by name', { sortBy: 'name', sortOrder: 'asc' }, undefined],
    ["search 'lamp 42'", { search: 'lamp 42' }, undefined],
  ] as const) {
    const label = `100,000 products, ${name}`;
    lines.push(
      await compare(label, 'the same with 1,000 products', aim, target(bench, 'large', body), target(bench, 'small', body), note),
    );
  }
  return lines;
}

const target = ({ url, headers }: Bench, organization: keyof typeof SIZES, body: object): Target => ({
  url: `${url}/api/${organization}/products/get`,
  headers,
  body: JSON.stringify(body),
});

async function compare(name: string, peer: string, atLeast: number | undefined, a: Target, b: Target, note: Note): Promise<Line> {
  const measure = (of: Target) => () => requestsPerSecond(of, SECONDS);
  const pairs = await interleave(ROUNDS, measure(a), measure(b), (text) => note(`${name}: ${text}`));
  return { name, peer, pairs, unit: 'req/s', values: each(pairs, (ours, theirs) => ours / theirs), atLeast };
}

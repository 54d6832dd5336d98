import { bodyOf, requestsPerSecond, type Target } from './load.ts';
import type { Line } from './report.ts';
import { each, interleave } from './rounds.ts';
import type { Bench, Note, Part } from './system.ts';

/** Ten of 100,000 products through the REST API, compared with the same bytes from a hand-written endpoint. */
async function measureListing(bench: Bench, note: Note): Promise<Line[]> {
  const ours = target(bench, 'large', {});
  const peer = { ...ours, url: `${(await bench.peer('listing')).url}/api/large/products/get` };
  const [body, peerBody] = [await bodyOf(ours), await bodyOf(peer)];
  if (body !== peerBody) throw new Error(`The peer does not give the same bytes:\n${body}\n${peerBody}`);
  return [
    await compare(
      bench,
      { name: '10 of 100,000 products', peer: 'Fastify + pg by hand, without keys and limits', atLeast: 0.85 },
      [ours, peer],
      note,
    ),
  ];
}

export const listing: Part = { organizations: ['large'], measure: measureListing };

const target = ({ url, headers }: Bench, organization: 'small' | 'large', body: object): Target => ({
  url: `${url}/api/${organization}/products/get`,
  headers,
  body: JSON.stringify(body),
});

async function compare(
  { rounds, seconds }: Bench,
  { name, peer, atLeast }: Pick<Line, 'name' | 'peer' | 'atLeast'>,
  [a, b]: [Target, Target],
  note: Note,
): Promise<Line> {
  const measure = (of: Target) => () => requestsPerSecond(of, seconds);
  const pairs = await interleave(rounds, measure(a), measure(b), (text) => note(`${name}: ${text}`));
  return { name, peer, pairs, unit: 'req/s', values: each(pairs, (ours, theirs) => ours / theirs), atLeast };
}

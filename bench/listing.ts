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
      { name: '10 of 100,000 products', peer: 'Fastify + pg by hand, without keys and limits', atLeast: 0.7 },
      [ours, peer],
      note,
    ),
  ];
}

/** The same page of a large and a small catalog. */
async function measureGrowth(bench: Bench, note: Note): Promise<Line[]> {
  const lines: Line[] = [];
  for (const [name, body, aim] of [
    ['first page', {}, 0.8],
    ['first page by name', { sortBy: 'name', sortOrder: 'asc' }, undefined],
    ["search 'lamp 42'", { search: 'lamp 42' }, undefined],
  ] as const) {
    const label = `100,000 products, ${name}`;
    const sides: [Target, Target] = [target(bench, 'large', body), target(bench, 'small', body)];
    lines.push(await compare(bench, { name: label, peer: 'the same with 1,000 products', atLeast: aim }, sides, note));
  }
  for (const [name, filter] of filters) {
    const label = `100,000 products, filtered by ${name}`;
    const sides: [Target, Target] = [filtered(bench, 'large', filter), filtered(bench, 'small', filter)];
    lines.push(await compare(bench, { name: label, peer: 'the same with 1,000 products', atLeast: undefined }, sides, note));
  }
  for (const [name, query] of lists) {
    const sides: [Target, Target] = [graphql(bench, 'large', query), graphql(bench, 'small', query)];
    const label = `beside 100,000 products, ${name}`;
    lines.push(await compare(bench, { name: label, peer: 'the same beside 1,000', atLeast: undefined }, sides, note));
  }
  return lines;
}

const filters: [string, object][] = [
  ['brand', { brand: 'Lumen' }],
  ['category', { category: 'Home > Desk lamp' }],
  ['attribute value', { attribute: { slug: 'color', value: 'red' } }],
  ['missing attribute', { missingAttribute: 'weight' }],
  ['rarely missing attribute', { missingAttribute: 'color' }],
  ['confidence', { confidenceBelow: 50 }],
  ['time of change', { updatedSince: '2020-01-01T00:00:00Z' }],
];

/** Other lists of the same organizations. */
const lists: [string, string][] = [
  ['jobs of all kinds', '{ jobs { nodes { id kind status } endCursor } }'],
  ['jobs by status', '{ jobs(status: [completed]) { nodes { id kind status } endCursor } }'],
  ['uploaded files', '{ uploadedFiles { nodes { id name } endCursor } }'],
  ['variants of a parent', '{ products(parentFilter: parent, limit: 1) { nodes { variants { sku } } } }'],
];

/** A page by cursor, without a total. */
const filtered = (bench: Bench, organization: 'small' | 'large', filter: object): Target =>
  graphql(bench, organization, 'query ($filter: ProductFilter) { products(filter: $filter) { nodes { id sku name } endCursor } }', {
    filter,
  });

const graphql = ({ url, headers }: Bench, organization: 'small' | 'large', query: string, variables = {}): Target => ({
  url: `${url}/graphql`,
  headers: { ...headers, 'x-organization': organization },
  body: JSON.stringify({ query, variables }),
});

export const listing: Part = { organizations: ['large'], measure: measureListing };
export const growth: Part = { organizations: ['small', 'large'], measure: measureGrowth };

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

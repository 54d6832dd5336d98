import { bodyOf, requestsPerSecond, type Target } from './load.ts';
import type { Line } from './report.ts';
import { each, interleave } from './rounds.ts';
import type { Bench, Note, Part } from './system.ts';

const SMALL = 1_000;
const LARGE = 1_000_000;

const PUBLISHED = `'published', now()`;
/** Inserts $2 rows of each list into the site of the slug $1. */
const ROWS = {
  pages: `insert into site_content.pages (id, organization_id, site_id, title, slug, path, content, seo, status, published_at)
          select uuidv7(), organization_id, id, 'Page ' || n, 'page-' || n, '/page-' || n, '', '{"title": null, "description": null}', ${PUBLISHED}
            from site_content.sites, generate_series(1, $2::int) n where slug = $1`,
  items: `insert into site_content.items (id, organization_id, site_id, collection_id, slug, fields, status, published_at)
          select uuidv7(), organization_id, site_id, id, 'item-' || n, jsonb_build_object('name', 'Item ' || n), ${PUBLISHED}
            from site_content.collections, generate_series(1, $2::int) n where slug = $1`,
  posts: `insert into site_content.posts (id, organization_id, site_id, title, slug, excerpt, content, author_id, status, published_at)
          select uuidv7(), organization_id, site_id, 'Post ' || n, 'post-' || n, '', '', id, ${PUBLISHED}
            from site_content.authors, generate_series(1, $2::int) n where slug = $1`,
  submissions: `insert into site_content.submissions (id, organization_id, site_id, form_id, "values")
          select uuidv7(), organization_id, site_id, id, jsonb_build_object('name', 'Visitor ' || n)
            from site_content.forms, generate_series(1, $2::int) n where name = $1`,
} as const;

const META = 'meta { total cursor hasMore }';
const LISTS: [name: string, query: string][] = [
  ['pages', `pages(siteId: $site, perPage: 100) { nodes { id path title } ${META} }`],
  [
    'items',
    `collectionItems(siteId: $site, collectionId: $collection, perPage: 100) { nodes { id slug fields references { slug } } ${META} }`,
  ],
  [
    'items, first changes',
    `collectionItems(siteId: $site, collectionId: $collection, perPage: 100, since: "0") { nodes { id slug } ${META} }`,
  ],
  ['posts', `posts(siteId: $site, perPage: 100) { nodes { id slug title author { name } } ${META} }`],
  ['submissions', `siteFormSubmissions(siteId: $site, formId: $form, perPage: 100) { nodes { id values } ${META} }`],
];

/** A page of 100 of each list of a site with a million records, compared with a site with a thousand. */
async function measure(bench: Bench, note: Note): Promise<Line[]> {
  const large = await seedSite(bench, 'large', bench.of(LARGE), note);
  const small = await seedSite(bench, 'small', SMALL, note);
  await bench.pool.query('vacuum analyze');
  const lines: Line[] = [];
  for (const [list, field] of LISTS) {
    const used = ['site', 'collection', 'form'].filter((name) => field.includes(`$${name}`));
    const query = `query (${used.map((name) => `$${name}: ID!`).join(', ')}) { list: ${field} }`;
    const [theirs, ours] = [small, large].map(
      (variables): Target => ({
        url: `${bench.url}/graphql`,
        headers: { ...bench.headers, 'x-organization': bench.organizations.hooks!.id },
        body: JSON.stringify({ query, variables }),
      }),
    ) as [Target, Target];
    if ((await bodyOf(ours)).includes('"errors"')) throw new Error(await bodyOf(ours));
    const rate = (of: Target) => () => requestsPerSecond(of, bench.seconds);
    const name = `100 of ${bench.of(LARGE).toLocaleString('en')} ${list}`;
    const pairs = await interleave(bench.rounds, rate(ours), rate(theirs), (text) => note(`${name}: ${text}`));
    const values = each(pairs, (one, other) => one / other);
    lines.push({ name, peer: 'the same with 1,000', pairs, unit: 'req/s', values, atLeast: 0.8 });
  }
  return lines;
}

async function seedSite({ pool, url, headers, organizations }: Bench, slug: string, size: number, note: Note) {
  note(`making a site with ${size.toLocaleString('en')} records in each list`);
  const run = async (query: string, variables: object) => {
    const body = await bodyOf({
      url: `${url}/graphql`,
      headers: { ...headers, 'x-organization': organizations.hooks!.id },
      body: JSON.stringify({ query, variables }),
    });
    return JSON.parse(body).data.made.id as string;
  };
  const workspace = await run('mutation ($slug: String!) { made: createWorkspace(input: { name: $slug, slug: $slug }) { id } }', {
    slug,
  });
  const site = await run(
    'mutation ($workspace: ID!, $slug: String!) { made: createSite(input: { workspaceId: $workspace, name: $slug, slug: $slug }) { id } }',
    { workspace, slug },
  );
  await run('mutation ($site: ID!) { made: publishSite(id: $site) { id } }', { site });
  const create = (operation: string, input: string) =>
    run(`mutation ($site: ID!, $slug: String!) { made: ${operation}(siteId: $site, input: { name: $slug, ${input} }) { id } }`, {
      site,
      slug,
    });
  const collection = await create('createCollection', 'slug: $slug, fields: [{ name: "name", type: "text" }]');
  const form = await create('createSiteForm', 'fields: [{ name: "name", label: "Name" }]');
  await create('createPostAuthor', 'slug: $slug');
  for (const statement of Object.values(ROWS)) await pool.query(statement, [slug, size]);
  return { site, collection, form };
}

export const siteContent: Part = { organizations: ['hooks'], measure };

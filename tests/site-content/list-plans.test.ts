import { readBy } from '../support/scanned-rows.ts';
import { CREATE_COLLECTION, CREATE_FORM, openContent } from './content.ts';

/** A page of 100 reads its rows, the parents beside them, and what it skips; never a share of the table. */
const [MAX_ROWS, MAX_BLOCKS] = [600, 600];
const RECORDS = 20_000;
let content: Awaited<ReturnType<typeof openContent>>;
const ids: Record<string, string> = {};
beforeAll(async () => {
  content = await openContent();
  const { acme, graph, make, siteId, workspaceId } = content;
  const fields = [{ name: 'n', type: 'number', required: false, options: [] }];
  const parents = {
    SITE: siteId,
    WORKSPACE: workspaceId,
    FORM: (
      await make(CREATE_FORM, {
        siteId,
        input: { name: 'f', fields: [{ name: 'n', label: 'N', type: 'text', required: false, options: [] }] },
      })
    ).id,
    COLLECTION: (await make(CREATE_COLLECTION, { siteId, input: { name: 'c', slug: 'c', fields } })).id,
  };
  Object.assign(ids, parents);
  // Nine of ten records are drafts, also the newest ones and the first ones by name.
  const states = `case when draft then 'draft' else 'published' end, case when draft then null else now() end`;
  const insert = (list: string, columns: string, values: string, parent: keyof typeof parents) => `
    with made as (
      insert into site_content.${list} (id, organization_id, ${columns})
      select gen_random_uuid(), '${acme.id}', ${values} from (
        select 'n' || lpad(n::text, 6, '0') as name, n < ${RECORDS} * 0.9 as draft, now() - interval '1 second' * n as at from generate_series(1, ${RECORDS}) n) s
      returning id)
    insert into site_content.changes (record_id, organization_id, list, parent_id, revision, was_published)
    select id, '${acme.id}', '${list}', '${parents[parent]}', nextval('site_content.revisions'), true from made;`;
  const site = `'${siteId}'`;
  await graph.services.pool.query(`
    set session_replication_role = replica;
    ${insert('sites', 'workspace_id, name, slug, status, published_at', `'${workspaceId}', name, name, ${states}`, 'WORKSPACE')}
    ${insert('pages', 'site_id, title, slug, path, content, seo, status, published_at', `${site}, name, name, '/' || name, '', '{}', ${states}`, 'SITE')}
    ${insert('forms', 'site_id, name, fields', `${site}, name, '[]'`, 'SITE')}
    ${insert('submissions', 'site_id, form_id, "values", submitted_at', `${site}, '${parents.FORM}', '{}', at`, 'FORM')}
    ${insert('collections', 'site_id, name, slug, fields', `${site}, name, name, '[]'`, 'SITE')}
    ${insert('items', 'site_id, collection_id, slug, fields, created_at, status, published_at', `${site}, '${parents.COLLECTION}', name, '{}', at, ${states}`, 'COLLECTION')}
    ${insert('authors', 'site_id, name, slug', `${site}, name, name`, 'SITE')}
    ${insert('categories', 'site_id, name, slug', `${site}, name, name`, 'SITE')}
    ${insert('posts', 'site_id, title, slug, excerpt, content, created_at, status, published_at', `${site}, name, name, '', '', at, ${states}`, 'SITE')}
    ${insert('redirects', 'site_id, parent_id, kind, address, record_id, published', `${site}, ${site}, 'page', '/' || name, gen_random_uuid(), not draft`, 'SITE')}
    ${insert('members', 'workspace_id, user_id, role', `'${workspaceId}', gen_random_uuid(), 'member'`, 'WORKSPACE')}
    insert into identity.row_counts (organization_id, list, key, slot, count)
    select '${acme.id}', 'redirects', array[site_id, published]::text[], 0, count(*) from site_content.redirects where site_id = ${site} group by 3;
    insert into site_content.tallies (organization_id, list, parent_id, status, count)
    select '${acme.id}'::uuid, 'pages', site_id, status, count(*) from site_content.pages where site_id = ${site} group by 3, 4
    union all select '${acme.id}'::uuid, 'items', collection_id, status, count(*) from site_content.items where site_id = ${site} group by 3, 4
    union all select '${acme.id}'::uuid, 'posts', site_id, status, count(*) from site_content.posts where site_id = ${site} group by 3, 4
    union all select '${acme.id}'::uuid, 'submissions', form_id, '', count(*) from site_content.submissions where site_id = ${site} group by 3;
    reset session_replication_role;
    analyze;`);
});
afterAll(() => content.graph.close());

const LISTS: [field: string, nodes?: string][] = [
  ['workspaces()'],
  ['sites()'],
  ['sites(status: all)'],
  ['sites(workspaceId: "WORKSPACE")'],
  ['workspaceMembers(workspaceId: "WORKSPACE")', 'id name'],
  ['pages(siteId: "SITE")', 'id path content'],
  ['pages(siteId: "SITE", status: all)'],
  ['siteForms(siteId: "SITE")'],
  ['siteFormSubmissions(siteId: "SITE", formId: "FORM")'],
  ['collections(siteId: "SITE")'],
  ['collectionItems(siteId: "SITE", collectionId: "COLLECTION")', 'id fields references { id }'],
  ['collectionItems(siteId: "SITE", collectionId: "COLLECTION", status: all)'],
  ['posts(siteId: "SITE")', 'id author { name } categories { name }'],
  ['posts(siteId: "SITE", status: draft)'],
  ['postAuthors(siteId: "SITE")'],
  ['postCategories(siteId: "SITE")'],
];
test.each(LISTS.flatMap(([field, nodes]) => ['', 'since: "1", '].map((since) => [since, field, nodes ?? 'id'])))(
  '%s%s reads a page, not the table',
  async (since, field, nodes) => {
    const named = field.replaceAll(/[A-Z]{4,}/g, (name) => ids[name] ?? name).replace('(', `(${since}perPage: 100, `);
    const { owner, graph } = content;
    const { rows, blocks } = await readBy(graph.services.pool, () =>
      owner.ask(`{ ${named} { nodes { ${nodes} } meta { total } } }`),
    );
    expect(rows).toBeGreaterThan(0);
    expect(rows).toBeLessThan(MAX_ROWS);
    expect(blocks).toBeLessThan(MAX_BLOCKS);
  },
);

test.each(['owner', 'member'] as const)('redirects read a page, not the table, for a caller who is %s', async (role) => {
  const { graph, siteId } = content;
  const list = `{ redirects(siteId: "${siteId}", perPage: 100) { nodes { address recordId } meta { total } } }`;
  const { total } = (await content[role].ask(list)).redirects.meta;
  expect(total).toBe(role === 'owner' ? RECORDS : RECORDS / 10 + 1);
  const { rows, blocks } = await readBy(graph.services.pool, () => content[role].ask(list));
  expect(rows).toBeLessThan(MAX_ROWS);
  expect(blocks).toBeLessThan(MAX_BLOCKS);
});

/** The rows of a deep page: the runs of the list and the rows of one run. */
const MAX_DEEP = 1_500;
test.each([
  ['pages', 'pages(siteId: "SITE", status: all', 'path, id'],
  ['items', 'collectionItems(siteId: "SITE", collectionId: "COLLECTION", status: draft', 'created_at desc, id desc'],
  ['posts', 'posts(siteId: "SITE", status: all', 'created_at desc, id desc'],
  ['submissions', 'siteFormSubmissions(siteId: "SITE", formId: "FORM"', 'submitted_at desc, id desc'],
])('a later page of %s reads a part of the list and stays exact', async (table, field, order) => {
  const { owner, graph, siteId } = content;
  const { pool } = graph.services;
  const list = field.replaceAll(/[A-Z]{4,}/g, (name) => ids[name] ?? name);
  const condition = field.includes('draft') ? `status = 'draft'` : 'true';
  const idsOf = async () =>
    (await owner.ask(`{ list: ${list}, perPage: 100, page: 150) { nodes { id } } }`)).list.nodes.map(
      ({ id }: { id: string }) => id,
    );
  const expected = async () => {
    const { rows } = await pool.query(
      `select id from site_content.${table} where site_id = $1 and ${condition} order by ${order} limit 100 offset 14900`,
      [siteId],
    );
    return rows.map(({ id }) => id);
  };
  await idsOf();
  const { rows } = await readBy(pool, idsOf);
  expect(rows).toBeLessThan(MAX_DEEP);
  await pool.query(
    `delete from site_content.${table} where id in (select id from site_content.${table} where site_id = $1 order by id limit 900)`,
    [siteId],
  );
  expect(await idsOf()).toEqual(await expected());
});

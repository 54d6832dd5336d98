import type { Api } from './sample-client.ts';

/** A page of the sample site as a title, a slug and HTML. */
const pages = [
  ['Home', 'home', '<h2>Tools, furniture and outdoor gear</h2><p>Everything for the workshop, the home and the garden.</p>'],
  [
    'Delivery',
    'delivery',
    '<h2>Delivery</h2><p>Parcels arrive within two to four working days. Large goods come by appointment.</p>',
  ],
  ['Returns', 'returns', '<h2>Returns</h2><p>You can return unused goods within 30 days.</p>'],
];
const posts = [
  ['Which jigsaw for which wood?', 'which-jigsaw', 'Blades, strokes and speeds, explained by our workshop.'],
  ['How to oil a garden bench', 'oil-a-garden-bench', 'Half an hour a year keeps hardwood dry and even in color.'],
];

/** The site of the sample, and the form that its visitors fill in. */
export interface SampleSite {
  siteId: string;
  formId: string;
}

type Created<Name extends string> = Record<Name, { id: string }>;

/** Create a published site with pages, posts and a form, or complete the one of an interrupted start. Other sites stay as they are. */
export async function seedSite(api: Api): Promise<SampleSite> {
  const siteId = await createSite(api);
  await createPages(api, siteId);
  await createPosts(api, siteId);
  await api.run('mutation ($id: ID!) { publishSite(id: $id) { id } }', { id: siteId });
  return { siteId, formId: await createForm(api, siteId) };
}

interface Known {
  id: string;
  slug: string;
  status?: string;
}

/** All records of a list, which has one page. */
async function listOf<T = Known>(api: Api, list: string, variables: Record<string, unknown> = {}): Promise<T[]> {
  const declared = Object.keys(variables).map((name) => `$${name}: ID!`);
  const { found } = await api.run<{ found: { nodes: T[] } }>(
    `query ${declared.length > 0 ? `(${declared.join(', ')}) ` : ''}{ found: ${list} }`,
    variables,
  );
  return found.nodes;
}

async function createSite(api: Api): Promise<string> {
  const workspaces = await listOf(api, 'workspaces(perPage: 100) { nodes { id slug } }');
  const known = workspaces.find(({ slug }) => slug === 'marketing');
  const { workspace } = known
    ? { workspace: known }
    : await api.run<Created<'workspace'>>(
        'mutation { workspace: createWorkspace(input: { name: "Marketing", slug: "marketing" }) { id } }',
      );
  const { id } = workspace;
  const sites = await listOf(api, 'sites(workspaceId: $id, status: all, perPage: 100) { nodes { id slug } }', { id });
  const existing = sites.find(({ slug }) => slug === 'shop');
  if (existing) return existing.id;
  const { site } = await api.run<Created<'site'>>(
    'mutation ($id: ID!) { site: createSite(input: { workspaceId: $id, name: "Shop", slug: "shop" }) { id } }',
    { id },
  );
  return site.id;
}

async function createPages(api: Api, id: string): Promise<void> {
  const known = await listOf(api, 'pages(siteId: $id, status: all, perPage: 100) { nodes { id slug status } }', { id });
  for (const [title, slug, content] of pages) {
    const existing = known.find((each) => each.slug === slug);
    if (existing?.status === 'published') continue;
    const { page } = existing
      ? { page: existing }
      : await api.run<Created<'page'>>(
          'mutation ($id: ID!, $input: NewPage!) { page: createPage(siteId: $id, input: $input) { id } }',
          {
            id,
            input: { title, slug, content },
          },
        );
    await api.run('mutation ($id: ID!) { publishPage(id: $id) { id } }', { id: page.id });
  }
}

async function createPosts(api: Api, id: string): Promise<void> {
  const authors = await listOf(api, 'postAuthors(siteId: $id, perPage: 100) { nodes { id slug } }', { id });
  const writer = authors.find(({ slug }) => slug === 'grace-hopper');
  const { author } = writer
    ? { author: writer }
    : await api.run<Created<'author'>>(
        'mutation ($id: ID!, $input: NewAuthor!) { author: createPostAuthor(siteId: $id, input: $input) { id } }',
        { id, input: { name: 'Grace Hopper', slug: 'grace-hopper' } },
      );
  const known = await listOf(api, 'posts(siteId: $id, status: all, perPage: 100) { nodes { id slug status } }', { id });
  for (const [title, slug, excerpt] of posts) {
    const existing = known.find((each) => each.slug === slug);
    if (existing?.status === 'published') continue;
    const { post } = existing
      ? { post: existing }
      : await api.run<Created<'post'>>(
          'mutation ($id: ID!, $input: NewPost!) { post: createPost(siteId: $id, input: $input) { id } }',
          {
            id,
            input: { title, slug, excerpt, content: `<p>${excerpt}</p>`, authorId: author.id },
          },
        );
    await api.run('mutation ($id: ID!) { publishPost(id: $id) { id } }', { id: post.id });
  }
}

async function createForm(api: Api, id: string): Promise<string> {
  const forms = await listOf<{ id: string; name: string }>(api, 'siteForms(siteId: $id, perPage: 100) { nodes { id name } }', {
    id,
  });
  const known = forms.find(({ name }) => name === 'Contact');
  if (known) return known.id;
  const { form } = await api.run<Created<'form'>>(
    'mutation ($id: ID!, $input: NewSiteForm!) { form: createSiteForm(siteId: $id, input: $input) { id } }',
    {
      id,
      input: {
        name: 'Contact',
        fields: [
          { name: 'email', label: 'E-mail address', type: 'email', required: true },
          { name: 'message', label: 'Message', type: 'textarea', required: true },
        ],
      },
    },
  );
  return form.id;
}

/** Send the events of jobs to a receiver on this machine. An existing webhook stays. */
export async function seedWebhook(api: Api, receiver: string): Promise<void> {
  const { webhooks } = await api.run<{ webhooks: unknown[] }>('{ webhooks { id } }');
  if (webhooks.length > 0) return;
  await api.run('mutation ($input: NewWebhook!) { createWebhook(input: $input) { id } }', {
    input: {
      url: receiver,
      eventType: ['product_enrichment.start', 'product_enrichment.completed', 'product_validation.completed'],
    },
  });
}

import type { Api } from './sample-client.ts';

const pages = [
  {
    title: 'Home',
    slug: 'home',
    content: '<h2>Tools, furniture and outdoor gear</h2><p>Everything for the workshop, the home and the garden.</p>',
  },
  {
    title: 'Delivery',
    slug: 'delivery',
    content: '<h2>Delivery</h2><p>Parcels arrive within two to four working days. Large goods come by appointment.</p>',
  },
  { title: 'Returns', slug: 'returns', content: '<h2>Returns</h2><p>You can return unused goods within 30 days.</p>' },
];
const posts = [
  {
    title: 'Which jigsaw for which wood?',
    slug: 'which-jigsaw',
    excerpt: 'Blades, strokes and speeds, explained by our workshop.',
    content: '<p>Blades, strokes and speeds, explained by our workshop.</p>',
  },
  {
    title: 'How to oil a garden bench',
    slug: 'oil-a-garden-bench',
    excerpt: 'Half an hour a year keeps hardwood dry and even in color.',
    content: '<p>Half an hour a year keeps hardwood dry and even in color.</p>',
  },
];
const form = {
  name: 'Contact',
  fields: [
    { name: 'email', label: 'E-mail address', type: 'email', required: true },
    { name: 'message', label: 'Message', type: 'textarea', required: true },
  ],
};

/** The site of the sample, and the form that its visitors fill in. */
export interface SampleSite {
  siteId: string;
  formId: string;
}

/** Create a published site with pages, posts and a form, or complete the one of an interrupted start. Other sites stay as they are. */
export async function seedSite(api: Api): Promise<SampleSite> {
  const workspaces = await listOf(api, 'workspaces(perPage: 100) { nodes { id slug } }');
  const workspaceId = (await ensure(api, workspaces, 'createWorkspace', { name: 'Marketing', slug: 'marketing' })).id;
  const sites = await listOf(api, 'sites(workspaceId: $id, status: all, perPage: 100) { nodes { id slug } }', workspaceId);
  const { id } = await ensure(api, sites, 'createSite', { workspaceId, name: 'Shop', slug: 'shop' });
  await publishAll(api, id, 'Page', pages);
  const authors = await listOf(api, 'postAuthors(siteId: $id, perPage: 100) { nodes { id slug } }', id);
  const author = await ensure(api, authors, 'createPostAuthor', { name: 'Grace Hopper', slug: 'grace-hopper' }, id);
  await publishAll(
    api,
    id,
    'Post',
    posts.map((post) => ({ ...post, authorId: author.id })),
  );
  await api.run('mutation ($id: ID!) { publishSite(id: $id) { id } }', { id });
  const forms = await listOf(api, 'siteForms(siteId: $id, perPage: 100) { nodes { id slug: name } }', id);
  return { siteId: id, formId: (await ensure(api, forms, 'createSiteForm', form, id)).id };
}

interface Known {
  id: string;
  /** The name of a form, which has no slug. */
  slug: string;
  status?: string;
}

/** All records of a list, which has one page. `$id` in it is the owner of the records. */
async function listOf(api: Api, list: string, id?: string): Promise<Known[]> {
  const { found } = await api.run<{ found: { nodes: Known[] } }>(`query ${id ? '($id: ID!) ' : ''}{ found: ${list} }`, { id });
  return found.nodes;
}

/** The type of the input of each mutation that creates a record. */
const inputs = {
  createWorkspace: 'NewWorkspace',
  createSite: 'NewSite',
  createPage: 'NewPage',
  createPost: 'NewPost',
  createPostAuthor: 'NewAuthor',
  createSiteForm: 'NewSiteForm',
} as const;

type Input = { name?: string; slug?: string } & Record<string, unknown>;

/** The known record of this slug, or name if it has none, or a new one. */
async function ensure(
  api: Api,
  known: readonly Known[],
  create: keyof typeof inputs,
  input: Input,
  siteId?: string,
): Promise<Known> {
  const existing = known.find(({ slug }) => slug === (input.slug ?? input.name));
  if (existing) return existing;
  const [declared, given] = siteId ? ['$siteId: ID!, ', 'siteId: $siteId, '] : ['', ''];
  const text = `mutation (${declared}$input: ${inputs[create]}!) { made: ${create}(${given}input: $input) { id } }`;
  return (await api.run<{ made: Known }>(text, { siteId, input })).made;
}

async function publishAll(api: Api, siteId: string, kind: 'Page' | 'Post', records: readonly Input[]): Promise<void> {
  const list = kind === 'Page' ? 'pages' : 'posts';
  const known = await listOf(api, `${list}(siteId: $id, status: all, perPage: 100) { nodes { id slug status } }`, siteId);
  for (const record of records) {
    const { id, status } = await ensure(api, known, `create${kind}`, record, siteId);
    if (status !== 'published') await api.run(`mutation ($id: ID!) { publish${kind}(id: $id) { id } }`, { id });
  }
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

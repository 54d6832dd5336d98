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

/** Create a published site with pages, posts and a form. An existing site stays. */
export async function seedSite(api: Api): Promise<SampleSite> {
  const { sites } = await api.run<{ sites: { nodes: { id: string }[] } }>('{ sites(status: all) { nodes { id } } }');
  const [known] = sites.nodes;
  const siteId = known?.id ?? (await createSite(api));
  const { siteForms } = await api.run<{ siteForms: { nodes: { id: string }[] } }>(
    'query ($id: ID!) { siteForms(siteId: $id) { nodes { id } } }',
    { id: siteId },
  );
  const [form] = siteForms.nodes;
  if (form) return { siteId, formId: form.id };
  return { siteId, formId: await fillSite(api, siteId) };
}

async function createSite(api: Api): Promise<string> {
  const { workspace } = await api.run<Created<'workspace'>>(
    'mutation { workspace: createWorkspace(input: { name: "Marketing", slug: "marketing" }) { id } }',
  );
  const { site } = await api.run<Created<'site'>>(
    'mutation ($id: ID!) { site: createSite(input: { workspaceId: $id, name: "Shop", slug: "shop" }) { id } }',
    { id: workspace.id },
  );
  return site.id;
}

async function fillSite(api: Api, siteId: string): Promise<string> {
  for (const [title, slug, content] of pages) {
    const { page } = await api.run<Created<'page'>>(
      'mutation ($id: ID!, $input: NewPage!) { page: createPage(siteId: $id, input: $input) { id } }',
      { id: siteId, input: { title, slug, content } },
    );
    await api.run('mutation ($id: ID!) { publishPage(id: $id) { id } }', { id: page.id });
  }
  const { author } = await api.run<Created<'author'>>(
    'mutation ($id: ID!, $input: NewAuthor!) { author: createPostAuthor(siteId: $id, input: $input) { id } }',
    { id: siteId, input: { name: 'Grace Hopper', slug: 'grace-hopper' } },
  );
  for (const [title, slug, excerpt] of posts) {
    const { post } = await api.run<Created<'post'>>(
      'mutation ($id: ID!, $input: NewPost!) { post: createPost(siteId: $id, input: $input) { id } }',
      { id: siteId, input: { title, slug, excerpt, content: `<p>${excerpt}</p>`, authorId: author.id } },
    );
    await api.run('mutation ($id: ID!) { publishPost(id: $id) { id } }', { id: post.id });
  }
  await api.run('mutation ($id: ID!) { publishSite(id: $id) { id } }', { id: siteId });
  const { form } = await api.run<Created<'form'>>(
    'mutation ($id: ID!, $input: NewSiteForm!) { form: createSiteForm(siteId: $id, input: $input) { id } }',
    {
      id: siteId,
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

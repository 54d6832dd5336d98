import { database } from '../support/seed.ts';
import type { Maker } from './tenant-maker.ts';
import { seedReplay } from './tenant-webhooks.ts';

/** Published content of every kind in a site, with a redirect, a domain and a webhook. */
export async function seedContent(
  { workspace, site, colleague }: { workspace: string; site: string; colleague: { id: string } },
  name: string,
  { graphql, idOf }: Maker,
) {
  const workspaceMember = await idOf(
    'mutation ($workspace: ID!, $user: ID!) { made: addWorkspaceMember(workspaceId: $workspace, userId: $user, role: member) { id } }',
    { workspace, user: colleague.id },
  );
  const create = (operation: string, type: string, input: object) =>
    idOf(`mutation ($site: ID!, $input: ${type}!) { made: ${operation}(siteId: $site, input: $input) { id } }`, { site, input });
  const page = await create('createPage', 'NewPage', { title: name, slug: 'p', content: name });
  await graphql('mutation ($page: ID!) { updatePage(id: $page, version: 1, input: { path: "/moved" }) { id } }', { page });
  const siteForm = await create('createSiteForm', 'NewSiteForm', { name, fields: [{ name: 'text', label: name }] });
  const collection = await create('createCollection', 'NewCollection', {
    name,
    slug: 'c',
    fields: [{ name: 'name', type: 'text' }],
  });
  const item = await idOf(
    'mutation ($collection: ID!, $name: String!) { made: createCollectionItem(collectionId: $collection, input: { slug: "i", fields: { name: $name } }) { id } }',
    { collection, name },
  );
  const author = await create('createPostAuthor', 'NewAuthor', { name, slug: 'a' });
  const category = await create('createPostCategory', 'NewPostCategory', { name, slug: 'c' });
  const post = await create('createPost', 'NewPost', { title: name, slug: 'p', authorId: author, categoryIds: [category] });
  for (const [operation, id] of Object.entries({ publishPage: page, publishCollectionItem: item, publishPost: post }))
    await graphql(`mutation ($id: ID!) { ${operation}(id: $id) { id } }`, { id });
  await graphql('mutation ($site: ID!) { setSiteDomain(siteId: $site, input: { domain: "www.example.com" }) { domain } }', {
    site,
  });
  const siteWebhook = await idOf('mutation ($input: NewSiteWebhook!) { made: createSiteWebhook(input: $input) { id } }', {
    input: { workspaceId: workspace, name, url: `https://hooks.example.com/${name}`, events: ['site.published'] },
  });
  const { rows } = await database().query(
    `with submission as (
       insert into site_content.submissions (id, organization_id, site_id, form_id, "values")
       select gen_random_uuid(), organization_id, site_id, id, jsonb_build_object('text', $2::text) from site_content.forms where id = $1
       returning id),
     emitted as (
       insert into webhooks.events (id, organization_id, event, occurred_at, payload)
       select gen_random_uuid(), organization_id, 'site.published', now(), to_json($2::text)::text from webhooks.subscriptions where id = $3
       returning id)
     insert into webhooks.deliveries (id, organization_id, subscription_id, event, event_id, status)
     select gen_random_uuid(), organization_id, s.id, 'site.published', emitted.id, 'failed' from emitted, webhooks.subscriptions s where s.id = $3
     returning id, organization_id as "organizationId", (select id from submission) as submission`,
    [siteForm, name, siteWebhook],
  );
  const { id: siteDelivery, organizationId, submission } = rows[0] as Record<string, string>;
  return {
    colleague: colleague.id,
    workspaceMember,
    page,
    siteForm,
    submission: submission!,
    collection,
    collectionItem: item,
    author,
    postCategory: category,
    post,
    siteWebhook,
    siteDelivery: siteDelivery!,
    siteReplay: await seedReplay(organizationId!, siteWebhook),
  };
}

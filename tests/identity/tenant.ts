import { caller } from '../support/client.ts';
import { seedOrganization } from '../support/seed.ts';
import { seedLink, signIn } from '../support/session.ts';
import { seedAgentRecords } from './tenant-agent.ts';
import { type LabelId, seedImport, seedLabel, seedMove, seedPicture, seedReview } from './tenant-catalog.ts';
import { seedContent } from './tenant-content.ts';
import { seedWebhook } from './tenant-webhooks.ts';

/** Marker in every text of a tenant, which reveals leaks. */
export const mark = (slug: string) => `belongs-to-${slug}`;

/** An organization with a row of every kind, and all their ids. */
export async function seedTenant() {
  const organization = await seedOrganization({ modules: ['helpdesk'] });
  const { slug, key, id, owner } = organization;
  const { graphql } = caller(key);
  const name = mark(slug);
  const text =
    'mutation ($sku: String!, $name: String!, $parentId: ID, $isParent: Boolean) { made: createProduct(input: { sku: $sku, name: $name, externalId: $sku, parentId: $parentId, isParent: $isParent, userProvidedRawDataSources: [$name] }) { id } }';
  const idOf = async (query: string, variables: Record<string, unknown>): Promise<string> =>
    (await graphql(query, variables)).made.id;

  const parent = await idOf(text, { sku: `P-${name}`, name, isParent: true });
  const product = await idOf(text, { sku: `V-${name}`, name, parentId: parent });
  const deletedProduct = await idOf(text, { sku: `D-${name}`, name });
  await graphql('mutation ($id: ID!) { deleteProduct(id: $id) { id } }', { id: deletedProduct });
  const attribute = await idOf(
    'mutation ($name: String!) { made: createAttribute(input: { name: $name, slug: "material", type: text }) { id } }',
    { name },
  );
  const attributeSet = await idOf(
    'mutation ($name: String!, $attribute: ID!) { made: createAttributeSet(name: $name, attributeIds: [$attribute]) { id } }',
    { name, attribute },
  );
  const { saveProductView } = await graphql('mutation ($input: ProductViewInput!) { saveProductView(input: $input) { id } }', {
    input: { name, isShared: true, settings: { search: name } },
  });
  const gapRule = await idOf(
    'mutation ($name: String!) { made: createGapRule(input: { name: $name, modelType: "budget-v1", maxCredits: 1, triggers: ["nightly"] }) { id } }',
    { name },
  );
  await graphql('mutation ($id: ID!) { pauseGapRule(id: $id) { id } }', { id: gapRule });
  const labels = await Promise.all(['Brand', 'Category'].map((label) => seedLabel(id, label, name, { graphql, idOf })));
  await seedMove(id, name);
  await graphql(
    'mutation ($category: String!, $set: ID) { setCategoryAttributeSet(category: $category, attributeSetId: $set) { id } }',
    { category: name, set: attributeSet },
  );
  await graphql('{ catalogChanges { cursor } }');
  const agent = await idOf('mutation ($name: String!) { made: createAgent(input: { name: $name }) { id } }', { name });
  const records = await seedAgentRecords(id, agent, name, { graphql, idOf });
  const workspace = await idOf('mutation ($name: String!) { made: createWorkspace(input: { name: $name, slug: "w" }) { id } }', {
    name,
  });
  const site = await idOf(
    'mutation ($name: String!, $workspace: ID!) { made: createSite(input: { name: $name, slug: "s", workspaceId: $workspace }) { id } }',
    { name, workspace },
  );
  await graphql('mutation ($site: ID!) { publishSite(id: $site) { id } }', { site });
  const content = await seedContent({ workspace, site, colleague: await organization.addMember('member') }, name, {
    graphql,
    idOf,
  });
  const apiKey = (await graphql('mutation ($name: String!) { createApiKey(name: $name) { apiKey { id } } }', { name })).createApiKey
    .apiKey.id as string;
  const { inviteMember } = await graphql(
    'mutation ($email: String!) { inviteMember(email: $email, role: member) { invitation { id } } }',
    { email: `${name}@example.com` },
  );
  await seedLink(owner.id, { organizationId: id });
  const { sessions } = await (await signIn(owner.id)).graphql('{ sessions { id } }');
  const job = await idOf(
    'mutation ($product: ID!) { made: createProductEnrichmentJob(input: { productIds: [$product], modelType: "budget-v1", websearch: false }) { id } }',
    { product },
  );
  const marketJob = await idOf(
    'mutation ($product: ID!) { made: createProductMarketAnalysisJob(input: { productIds: [$product], modelType: "budget-v1" }) { id } }',
    { product },
  );
  await graphql('mutation ($product: ID!) { updateProductAttributes(id: $product, attributes: {}) { id } }', { product });
  const editJob = await idOf(
    'mutation ($product: ID!, $name: AttributeContent!) { made: createProductEditJob(selection: { ids: [$product] }, edits: [{ field: manufacturer, action: set, value: $name }]) { id } }',
    { product, name },
  );
  const exportJob = await idOf('mutation ($product: ID!) { made: createProductExportJob(selection: { ids: [$product] }) { id } }', {
    product,
  });
  const webhooks = await seedWebhook(id, name, { graphql, idOf });
  const imports = await seedImport(id, name, { graphql, idOf });
  await ended(key, imports.importJob);
  const found = await graphql('query ($job: ID!) { importItems(jobId: $job) { nodes { id } } }', { job: imports.importJob });
  const importItem: string = found.importItems.nodes[0].id;
  await ended(key, job);
  await ended(key, marketJob);
  await ended(key, editJob);
  await ended(key, exportJob);
  const review = await seedReview(id, name, job);
  const picture = await seedPicture(id, name, product);
  await Promise.all(labels.flatMap(Object.entries).map(([what, each]) => /Job$/.test(what) && ended(key, each)));

  const ids = {
    organization: id,
    owner: owner.id,
    parent,
    product,
    deletedProduct,
    attribute,
    attributeSet,
    view: saveProductView.id as string,
    gapRule,
    agent,
    ...records,
    workspace,
    site,
    ...content,
    apiKey,
    session: sessions[0].id as string,
    invitation: inviteMember.invitation.id as string,
    marketJob,
    editJob,
    exportJob,
    job,
    ...review,
    picture,
    ...webhooks,
    ...imports,
    importItem,
    ...(Object.assign({}, ...labels) as Record<LabelId, string>),
    externalId: `V-${name}`,
  };
  return { ...organization, ids };
}

export type Tenant = Awaited<ReturnType<typeof seedTenant>>;

async function ended(key: string, job: string): Promise<void> {
  const updates = caller(key).subscribe('subscription ($job: ID!) { jobProgress(id: $job) { status } }', { job });
  // The stream ends with the job.
  for await (const _ of updates);
}

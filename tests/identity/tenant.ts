import { caller } from '../support/client.ts';
import { database, seedOrganization } from '../support/seed.ts';

/** Stands in every text of a tenant, so that a leak shows wherever it is. */
export const mark = (slug: string) => `belongs-to-${slug}`;

/** An organization with a row of every kind, and the ids of them all. */
export async function seedTenant() {
  const organization = await seedOrganization();
  const { slug, key, id, owner } = organization;
  const { graphql } = caller(key);
  const name = mark(slug);
  const text =
    'mutation ($sku: String!, $name: String!, $parentId: ID, $isParent: Boolean) { made: createProduct(input: { sku: $sku, name: $name, externalId: $sku, parentId: $parentId, isParent: $isParent, userProvidedRawDataSources: [$name] }) { id } }';
  const idOf = async (query: string, variables: Record<string, unknown>): Promise<string> =>
    (await graphql(query, variables)).made.id;

  const parent = await idOf(text, { sku: `P-${name}`, name, isParent: true });
  const product = await idOf(text, { sku: `V-${name}`, name, parentId: parent });
  const attribute = await idOf(
    'mutation ($name: String!) { made: createAttribute(input: { name: $name, slug: "material", type: "text" }) { id } }',
    { name },
  );
  const attributeSet = await idOf(
    'mutation ($name: String!, $attribute: ID!) { made: createAttributeSet(name: $name, attributeIds: [$attribute]) { id } }',
    { name, attribute },
  );
  const agent = await idOf('mutation ($name: String!) { made: createAgent(input: { name: $name }) { id } }', { name });
  const workspace = await idOf('mutation ($name: String!) { made: createWorkspace(input: { name: $name, slug: "w" }) { id } }', {
    name,
  });
  const site = await idOf(
    'mutation ($name: String!, $workspace: ID!) { made: createSite(input: { name: $name, slug: "s", workspaceId: $workspace }) { id } }',
    { name, workspace },
  );
  await graphql('mutation ($site: ID!) { publishSite(id: $site) { id } }', { site });
  const apiKey = (await graphql('mutation ($name: String!) { createApiKey(name: $name) { apiKey { id } } }', { name })).createApiKey
    .apiKey.id as string;
  const job = await idOf(
    'mutation ($product: ID!) { made: createProductEnrichmentJob(input: { productIds: [$product], modelType: "budget-v1", websearch: false }) { id } }',
    { product },
  );
  await graphql('mutation ($product: ID!) { updateProductAttributes(id: $product, attributes: {}) { id } }', { product });
  await ended(key, job);

  const ids = {
    organization: id,
    owner: owner.id,
    parent,
    product,
    attribute,
    attributeSet,
    agent,
    workspace,
    site,
    apiKey,
    job,
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

/** Every row of an organization, of every table there is. */
export async function rowsOf({ id }: { id: string }): Promise<Record<string, unknown[]>> {
  const { rows: tables } = await database().query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.columns where column_name = 'organization_id' order by 1`,
  );
  const read = async (name: string, where: string) =>
    (await database().query(`select to_jsonb(t) as row from ${name} t where ${where} order by 1`, [id])).rows;
  const entries = await Promise.all(tables.map(async ({ name }) => [name, await read(name, 'organization_id = $1')] as const));
  return {
    ...Object.fromEntries(entries),
    organizations: await read('identity.organizations', 'id = $1'),
    changes: await read('catalog.job_changes', 'job_id in (select id from catalog.jobs where organization_id = $1)'),
  };
}

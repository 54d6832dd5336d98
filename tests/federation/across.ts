import { caller } from '../support/client.ts';
import { seedOrganization } from '../support/seed.ts';

/** One operation that needs every subgraph. */
export const everything = `query ($sku: String!) {
  organization {
    name slug role credits
    products(search: $sku) { nodes { sku name } pagination { total } }
    agents { name publicSlug }
    sites(status: all) { nodes { name workspace { name slug } } meta { total } }
    workspaces { nodes { slug } }
  }
}`;

/** An organization with data in every subgraph. */
export async function seedEverywhere(url?: string) {
  const organization = await seedOrganization();
  const { graphql } = caller(organization.key, { url });
  const { createProduct } = await graphql(
    'mutation { createProduct(input: { sku: "LAMP-1", name: "Desk lamp", userProvidedRawDataSources: ["Material: brass."] }) { id } }',
  );
  await graphql('mutation { createAgent(input: { name: "Support desk" }) { id } }');
  const { createWorkspace } = await graphql('mutation { createWorkspace(input: { name: "Shop", slug: "shop" }) { id } }');
  await graphql('mutation ($id: ID!) { createSite(input: { workspaceId: $id, name: "Storefront", slug: "storefront" }) { id } }', {
    id: createWorkspace.id,
  });
  return { ...organization, productId: createProduct.id as string };
}

/** Expected result of `everything`. */
export const expected = ({ slug }: { slug: string }) => ({
  organization: {
    name: `Organization ${slug}`,
    slug,
    role: 'owner',
    credits: 100_000,
    products: { nodes: [{ sku: 'LAMP-1', name: 'Desk lamp' }], pagination: { total: 1 } },
    agents: [{ name: 'Support desk', publicSlug: expect.stringMatching(/^support-desk-/) }],
    sites: { nodes: [{ name: 'Storefront', workspace: { name: 'Shop', slug: 'shop' } }], meta: { total: 1 } },
    workspaces: { nodes: [{ slug: 'shop' }] },
  },
});

/** An operation with a forbidden part: members may not read agents. */
export const partly = '{ organization { id workspaces { nodes { slug } } agents { name } products { nodes { sku } } } }';
export const refusedPart = { code: 'FORBIDDEN', path: ['organization', 'agents'] };

/** Follow a job until it finishes; each update selects the organization. */
export async function follow(key: string, jobId: string, url?: string) {
  const updates = [];
  const query =
    'subscription ($id: ID!) { jobProgress(id: $id, after: 0) { sequence status processedCount items { status product { sku } } job { status } } }';
  for await (const { data, errors } of caller(key, { url }).subscribe(query, { id: jobId })) {
    if (errors) throw new Error(JSON.stringify(errors));
    updates.push(data.jobProgress);
  }
  return updates;
}

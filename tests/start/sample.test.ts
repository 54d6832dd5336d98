import { fillSample } from '../../start/sample/first-run.ts';
import { Api } from '../../start/sample/sample-client.ts';
import { seedSite } from '../../start/sample/sample-site.ts';
import { seedOrganization } from '../support/seed.ts';

const url = process.env.TEST_URL!;

const OWN = `mutation { workspace: createWorkspace(input: { name: "Mine", slug: "mine" }) { id } }`;
const WORKSPACE = `mutation { workspace: createWorkspace(input: { name: "Marketing", slug: "marketing" }) { id } }`;
const SITE =
  'mutation ($id: ID!, $slug: String!) { site: createSite(input: { workspaceId: $id, name: $slug, slug: $slug }) { id } }';
const PAGE = `mutation ($id: ID!) { createPage(siteId: $id, input: { title: "Home", slug: "home", content: "<p>Mine</p>" }) { id } }`;
const CONTENT = `query ($id: ID!) {
  pages(siteId: $id, status: all) { nodes { slug status } } posts(siteId: $id) { nodes { slug } } siteForms(siteId: $id) { nodes { name } }
}`;

test('a start completes the site of an interrupted one, and leaves other sites as they are', async () => {
  const { key } = await seedOrganization();
  const api = new Api(url, key);
  const create = async (workspace: string, slug: string) => {
    const made = await api.run<{ workspace: { id: string } }>(workspace);
    const { site } = await api.run<{ site: { id: string } }>(SITE, { id: made.workspace.id, slug });
    return site.id;
  };
  const own = await create(OWN, 'own');
  const begun = await create(WORKSPACE, 'shop');
  await api.run(PAGE, { id: begun });
  const first = await seedSite(api);
  expect(first.siteId).toBe(begun);
  expect(await seedSite(api)).toEqual(first);
  expect(await api.run(CONTENT, { id: own })).toEqual({ pages: { nodes: [] }, posts: { nodes: [] }, siteForms: { nodes: [] } });
  const published = (slug: string) => ({ slug, status: 'published' });
  expect(await api.run(CONTENT, { id: begun })).toEqual({
    pages: { nodes: expect.arrayContaining(['home', 'delivery', 'returns'].map(published)) },
    posts: { nodes: expect.arrayContaining([{ slug: 'which-jigsaw' }, { slug: 'oil-a-garden-bench' }]) },
    siteForms: { nodes: [{ name: 'Contact' }] },
  });
});

test('a failure of the jobs or the visitors of the sample is a line in the terminal', async () => {
  const lines: string[] = [];
  const api = new Api('http://127.0.0.1:1', 'none');
  const sample = { key: '', api, agentId: '', products: [], site: { siteId: '', formId: '' } };
  const options = { databaseUrl: '', url, siteUrl: url, isEnding: () => false, onLine: (line: string) => lines.push(line) };
  await fillSample(sample, options);
  expect(lines).toEqual([expect.stringMatching(/^The sample is incomplete: .*The next start continues it\.$/)]);
});

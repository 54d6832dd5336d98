import { caller } from '../support/client.ts';
import { seedOrganization } from '../support/seed.ts';
import { accessibilityFaults, browserTest, dashboard } from './dashboard.ts';

const visit = dashboard();

browserTest('a page of a site is written, published, and a conflicting edit is combined with the version that won', async () => {
  const { owner, slug, key } = await seedOrganization();
  const api = caller(key);
  const page = await visit(`/o/${slug}/content`, { userId: owner.id });
  const create = page.getByRole('button', { name: 'Create', exact: true });
  await page.getByRole('button', { name: 'New workspace' }).first().click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Marketing');
  await page.getByRole('textbox', { name: 'Short name' }).fill('marketing');
  await create.click();
  await page.getByRole('button', { name: 'New site' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Shop');
  await page.getByRole('textbox', { name: 'Short name' }).fill('shop');
  await create.click();
  await page.getByRole('link', { name: 'Shop' }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('link', { name: 'Shop' }).click();

  await page.getByRole('link', { name: 'New page' }).first().click();
  await page.getByRole('textbox', { name: 'Title', exact: true }).fill('About us');
  await page.getByRole('textbox', { name: 'Short name' }).fill('about');
  await page.getByRole('textbox', { name: 'Content', exact: true }).fill('<h2>Since 1990</h2><script>alert(1)</script>');
  await create.click();
  await page.getByRole('heading', { name: 'About us' }).waitFor();
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByText('Published', { exact: true }).waitFor();
  await page.getByText('Preview').click();
  await page.getByRole('heading', { name: 'Since 1990' }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);

  const id = page.url().split('/').at(-1);
  const version = (
    await api.graphql('query ($id: ID!, $site: ID!) { page(id: $id, siteId: $site) { version } }', {
      id,
      site: page.url().split('/').at(-3),
    })
  ).page.version;
  await page.getByRole('textbox', { name: 'Title', exact: true }).fill('About the company');
  const edit =
    'mutation ($id: ID!, $version: Int!) { updatePage(id: $id, version: $version, input: { seo: { title: "Found" } }) { version } }';
  await api.graphql(edit, { id, version });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText(/Somebody changed this meanwhile/).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Combine both' }).click();
  expect(await page.getByRole('textbox', { name: 'Title for search engines' }).inputValue()).toBe('Found');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'About the company' }).waitFor();
  const stored = await api.graphql(
    'query ($id: ID!, $site: ID!) { page(id: $id, siteId: $site) { title content seo { title } } }',
    { id, site: page.url().split('/').at(-3) },
  );
  expect(stored.page).toEqual({ title: 'About the company', content: '<h2>Since 1990</h2>', seo: { title: 'Found' } });
});

browserTest('a collection with typed fields gets an item, which is scheduled; a post has an author', async () => {
  const { owner, slug, key } = await seedOrganization();
  const api = caller(key);
  const { createWorkspace } = await api.graphql('mutation { createWorkspace(input: { name: "W", slug: "w" }) { id } }');
  const { createSite } = await api.graphql(
    'mutation ($id: ID!) { createSite(input: { workspaceId: $id, name: "Shop", slug: "s" }) { id } }',
    {
      id: createWorkspace.id,
    },
  );
  const site = createSite.id as string;
  const page = await visit(`/o/${slug}/content/${site}/collections/new`, { userId: owner.id });
  const create = page.getByRole('button', { name: 'Create', exact: true });
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Stores');
  await page.getByRole('textbox', { name: 'Short name' }).fill('stores');
  for (const [name, type] of [
    ['city', 'Text'],
    ['opened', 'Date'],
    ['floors', 'Number'],
    ['size', 'Option'],
  ] as const) {
    await page.getByRole('button', { name: 'Add a field' }).click();
    const group = page.getByRole('group').last();
    await group.getByLabel('Key').fill(name);
    await page.getByRole('group', { name }).getByRole('combobox', { name: 'Type' }).click();
    await page.getByRole('option', { name: type, exact: true }).click();
  }
  await page.getByRole('combobox', { name: 'Options' }).fill('large');
  await page.keyboard.press('Enter');
  expect(await accessibilityFaults(page)).toEqual([]);
  await create.click();
  await page.getByRole('link', { name: 'Items' }).click();
  await page.getByRole('link', { name: 'New item' }).first().click();
  await page.getByRole('textbox', { name: 'Short name' }).fill('berlin');
  await page.getByRole('textbox', { name: 'city' }).fill('Berlin');
  await page.getByRole('textbox', { name: 'floors' }).fill('3');
  await page.getByRole('combobox', { name: 'size' }).click();
  await page.getByRole('option', { name: 'large' }).click();
  await create.click();
  await page.getByRole('heading', { name: 'Berlin' }).waitFor();
  const { collections } = await api.graphql(
    'query ($site: ID!) { collections(siteId: $site) { nodes { items(status: all) { nodes { fields status } } } } }',
    { site },
  );
  expect(collections.nodes[0].items.nodes).toEqual([{ fields: { city: 'Berlin', floors: 3, size: 'large' }, status: 'draft' }]);

  await page.goto(`/o/${slug}/content/${site}/authors/new`);
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Ada');
  await page.getByRole('textbox', { name: 'Short name' }).fill('ada');
  await create.click();
  await page.getByRole('heading', { name: 'Ada' }).waitFor();
  await page.goto(`/o/${slug}/content/${site}/posts/new`);
  await page.getByRole('textbox', { name: 'Title', exact: true }).fill('News');
  await page.getByRole('textbox', { name: 'Short name' }).fill('news');
  await page.getByRole('combobox', { name: 'Author' }).click();
  await page.getByRole('option', { name: 'Ada' }).click();
  await create.click();
  await page.getByRole('heading', { name: 'News' }).waitFor();
  await page.goto(`/o/${slug}/content/${site}/posts`);
  await page.getByRole('cell', { name: 'news · Ada' }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('tab', { name: 'Domain' }).click();
  await page.getByRole('textbox', { name: 'Domain', exact: true }).fill('www.example.com');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByLabel('Value of the record').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
});

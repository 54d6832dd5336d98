import type { Route } from 'playwright-core';
import { database, seedOrganization } from '../support/seed.ts';
import { browserTest, dashboard } from './dashboard.ts';

const visit = dashboard();
const isOperation = (route: Route, name: string) => route.request().postData()?.includes(name) === true;

browserTest('a second attempt after a lost answer creates no second agent', async () => {
  const { slug, owner, id } = await seedOrganization({ modules: ['helpdesk'] });
  const page = await visit(`/o/${slug}/agents`, { userId: owner.id });
  await page.getByRole('button', { name: 'New agent' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Zoe');
  let attempts = 0;
  await page.route('**/graphql', async (route) => {
    if (!isOperation(route, 'mutation')) return route.fallback();
    attempts += 1;
    const response = await route.fetch();
    if (attempts === 1) await route.abort();
    else await route.fulfill({ response });
  });
  const create = dialog.getByRole('button', { name: 'New agent' });
  await create.click();
  await page.getByText('The server cannot be reached.').waitFor();
  await create.click();
  await page.getByRole('heading', { level: 1, name: 'Zoe' }).waitFor();
  const { rows } = await database().query('select name from agent.agents where organization_id = $1', [id]);
  expect([attempts, rows]).toEqual([2, [{ name: 'Zoe' }]]);
});

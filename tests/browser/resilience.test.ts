import type { Page, Route } from 'playwright-core';
import { seedCatalog } from '../support/enrichment.ts';
import { seedOrganization } from '../support/seed.ts';
import { seedLink } from '../support/session.ts';
import { accessibilityFaults, browserTest, dashboard, url } from './dashboard.ts';

const visit = dashboard();
const signOut = (page: Page) => page.request.post('/auth/sign-out', { headers: { origin: url } });
const isOperation = (route: Route, name: string) => route.request().postData()?.includes(name) === true;

browserTest('a session that ends under an open form leaves what was typed, and continues after a new sign-in', async () => {
  const { slug, owner } = await seedOrganization();
  const page = await visit(`/o/${slug}/settings/keys`, { userId: owner.id });
  await page.getByRole('button', { name: 'New key' }).first().click();
  const name = page.getByRole('textbox', { name: 'Name', exact: true });
  await name.fill('Import of the night');
  await signOut(page);
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await dialog.waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: 'Continue here' }).click();

  const [tab] = await Promise.all([page.context().waitForEvent('page'), dialog.getByRole('link', { name: 'Sign in' }).click()]);
  await tab.getByText('Your session has ended. Sign in again.').waitFor();
  await tab.getByLabel('Sign-in link').fill(`${url}/auth/link/${await seedLink(owner.id)}`);
  await tab.keyboard.press('Enter');
  await tab.getByRole('button', { name: 'Continue to the dashboard' }).click();
  await tab.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('The connection is lost.').waitFor({ state: 'detached' });
  expect(await name.inputValue()).toBe('Import of the night');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('textbox', { name: 'API key' }).waitFor();

  // A sign-out by the user leaves nothing on the screen of another tab.
  await tab.getByRole('button', { name: 'Account' }).click();
  await tab.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL('**/sign-in?to=*');
});

browserTest('an upload after the end of the session leads to a new sign-in, and the text of the page stays', async () => {
  const { slug, owner } = await seedOrganization();
  const page = await visit('about:blank', { userId: owner.id });
  // Nothing else must notice the end of the session.
  await page.routeWebSocket(/\/graphql$/, () => {});
  await page.goto(`/o/${slug}/imports/new`);
  const prompt = page.getByLabel('Instruction');
  await prompt.fill('Only the lamps of the first sheet.');
  await signOut(page);
  const file = { name: 'lamps.csv', mimeType: 'text/csv', buffer: Buffer.from('SKU,Name\nA,Lamp\n') };
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
  expect(await prompt.inputValue()).toBe('Only the lamps of the first sheet.');
});

browserTest('a busy server is named in plain words, and the page continues when it expects the next request', async () => {
  const catalog = await seedCatalog();
  await catalog.addProducts([{ name: 'Oak chair' }]);
  const page = await visit('about:blank', { userId: catalog.owner.id });
  let refusals = 0;
  await page.route('**/graphql', (route) => {
    if (!isOperation(route, 'ProductList') || refusals === 2) return route.continue();
    refusals += 1;
    if (refusals === 1)
      return route.fulfill({ status: 503, contentType: 'text/html', body: '<h1>503</h1>', headers: { 'retry-after': '1' } });
    return route.fulfill({
      status: 429,
      headers: { 'retry-after': '2' },
      json: { errors: [{ message: 'Too many requests', extensions: { code: 'RATE_LIMITED' } }] },
    });
  });
  await page.goto(`/o/${catalog.slug}/products`);
  await page.getByText('The server is busy').waitFor();
  await page.getByText(/^The next attempt is in \d seconds?\.$/).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('link', { name: 'Oak chair' }).waitFor();
  expect(refusals).toBe(2);

  await page.goto(`/o/${catalog.slug}/settings`);
  const name = page.getByRole('textbox', { name: 'Name', exact: true });
  await name.fill('Nordic chairs');
  const save = page.getByRole('button', { name: 'Save' });
  await page.route('**/graphql', (route) => route.fulfill({ status: 503, headers: { 'retry-after': '7' }, body: '' }), {
    times: 1,
  });
  await save.click();
  await page.getByText('The server is busy. Try again in 7 seconds.').waitFor();
  await page.route('**/graphql', (route) => route.abort(), { times: 1 });
  await save.click();
  await page.getByText('The server cannot be reached. Check your network connection, then try again.').waitFor();
  expect(await name.inputValue()).toBe('Nordic chairs');
  await save.click();
  await page.getByRole('button', { name: 'Organization: Nordic chairs' }).waitFor();
});

browserTest('on a slow network each page shows that it loads, and a click leaves the page usable', async () => {
  const catalog = await seedCatalog();
  await catalog.addProducts([{ name: 'Oak chair' }]);
  const page = await visit('about:blank', { userId: catalog.owner.id });
  const network = await page.context().newCDPSession(page);
  await network.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 200,
    downloadThroughput: 120_000,
    uploadThroughput: 50_000,
  });
  await page.goto(`/o/${catalog.slug}`);
  await page.getByRole('status', { name: 'Loading' }).first().waitFor();
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  const navigation = page.getByRole('navigation');
  await navigation.getByRole('link', { name: 'Products' }).click();
  await page.getByRole('status', { name: 'Loading' }).first().waitFor();
  // Nobody waits for a page that is no longer wanted.
  await navigation.getByRole('link', { name: 'Jobs' }).click();
  await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
  await page.goBack();
  await page.getByRole('link', { name: 'Oak chair' }).waitFor();
});

browserTest('a tab does not stay with its user after another one has signed in', async () => {
  const [first, second] = [await seedOrganization(), await seedOrganization()];
  const page = await visit(`/o/${first.slug}/products`, { userId: first.owner.id });
  await page.getByRole('heading', { level: 1, name: 'Products' }).waitFor();
  const tab = await page.context().newPage();
  await tab.goto(`/auth/link/${await seedLink(second.owner.id)}`);
  await tab.getByRole('button', { name: 'Continue to the dashboard' }).click();
  await tab.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  await page.getByRole('heading', { level: 1, name: 'This does not exist' }).waitFor();
});

browserTest.each([
  ['the session', '**/auth/session', ''],
  ['the ways to sign in', '**/auth/methods', 'sign-in'],
])(
  'a busy server that cannot tell %s is named, and the page continues when it expects the next request',
  async (_, route, path) => {
    const page = await visit('about:blank');
    await page.route(
      route,
      (each) => each.fulfill({ status: 429, headers: { 'retry-after': '2' }, json: { error: 'Too many requests' } }),
      {
        times: 1,
      },
    );
    await page.goto(`/${path}`);
    await page.getByRole('heading', { level: 1, name: 'The server is busy' }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  },
);

browserTest('a proxy that does not reach the server is no fault of the server', async () => {
  const page = await visit('about:blank');
  const badGateway = { status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' };
  await page.route('**/auth/session', (route) => route.fulfill(badGateway), { times: 1 });
  await page.goto('/');
  await page.getByRole('heading', { level: 1, name: 'The server cannot be reached' }).waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
});

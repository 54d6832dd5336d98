import { randomUUID } from 'node:crypto';
import { caller } from '../support/client.ts';
import { seedCatalog } from '../support/enrichment.ts';
import { seedOrganization, seedStranger } from '../support/seed.ts';
import { seedLink } from '../support/session.ts';
import { accessibilityFaults, browserTest, bytesOf, dashboard, PHONE, url } from './dashboard.ts';
import { breakerOf } from './sockets.ts';

const visit = dashboard();

browserTest('a sign-in link opens the dashboard, a new user founds an organization, and sign-out ends the session', async () => {
  const { id } = await seedStranger();
  const page = await visit('/');
  await page.waitForURL('**/sign-in?to=%2F');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByLabel('Sign-in link').fill('no link');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('This is not a sign-in link.').waitFor();
  await page.getByLabel('Sign-in link').fill(`${url}/auth/link/${await seedLink(id)}`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Continue to the dashboard' }).click();

  await page.waitForURL('**/found');
  expect(await accessibilityFaults(page)).toEqual([]);
  const slug = `nord-${id.slice(0, 8)}`;
  await page.getByLabel('Name', { exact: true }).fill(`Nörd ${id.slice(0, 8)}`);
  await page.keyboard.press('Tab');
  expect(await page.getByLabel('Short name').inputValue()).toBe(slug);
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/o/${slug}`);

  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL('**/sign-in');
  await page.goto(`/o/${slug}/jobs`);
  await page.waitForURL('**/sign-in?to=*');
});

browserTest('a used sign-in link says what to do', async () => {
  const { id } = await seedStranger();
  const token = await seedLink(id);
  await caller(undefined).post('/auth/link', { token }, { origin: url });
  const page = await visit(`/auth/link/${token}`);
  await page.getByRole('button', { name: 'Continue to the dashboard' }).click();
  await page
    .getByRole('alert')
    .getByText(/used already/)
    .waitFor();
});

browserTest('an invitation by link makes the invited user a member', async () => {
  const [{ key, slug }, invited] = await Promise.all([seedOrganization(), seedStranger()]);
  const invite = 'mutation ($email: String!) { inviteMember(email: $email, role: member) { token } }';
  const { token } = (await caller(key).graphql(invite, { email: invited.email })).inviteMember;
  const page = await visit(`/invitation/${token}`, { userId: invited.id });
  await page.getByRole('button', { name: 'Accept' }).click();
  await page.waitForURL(`**/o/${slug}`);
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
});

browserTest('the organization is in the address, and others of the user are one click away', async () => {
  const [first, second, foreign] = await Promise.all([seedOrganization(), seedOrganization({ credits: 7 }), seedOrganization()]);
  await second.join(first.owner.id, 'member');
  const page = await visit(`/o/${first.slug}`, { userId: first.owner.id });
  await page.getByText('100,000 credits').waitFor();
  await page.getByRole('button', { name: /^Organization:/ }).click();
  await page.getByRole('menuitem', { name: `Organization ${second.slug}` }).click();
  await page.waitForURL(`**/o/${second.slug}`);
  await page.getByText('7 credits').waitFor();
  await page.goBack();
  await page.getByText('100,000 credits').waitFor();
  await page.goto(`/o/${foreign.slug}`);
  await page.getByText('This does not exist').waitFor();
  await page.goto(`/o/${first.slug}/nothing`);
  await page.getByRole('heading', { level: 1, name: 'This does not exist' }).waitFor();
});

browserTest('the page of a record that does not exist says so in the language of the user, and leads out', async () => {
  const { slug, owner } = await seedOrganization();
  const page = await visit(`/o/${slug}`, { userId: owner.id, locale: 'de-DE' });
  const id = randomUUID();
  for (const path of [
    `products/${id}`,
    `attributes/edit/${id}`,
    `attributes/sets/${id}`,
    `imports/${id}`,
    `jobs/${id}`,
    `agents/${id}`,
    `content/${id}`,
    `content/${id}/pages/${id}`,
    `content/${id}/collections/${id}/items`,
    `content/${id}/forms/${id}/submissions`,
    `webhooks/catalog/${id}`,
  ]) {
    await page.goto(`/o/${slug}/${path}`);
    await page.getByRole('heading', { level: 1, name: 'Das gibt es nicht' }).waitFor();
    expect(await page.title()).toBe('Das gibt es nicht');
    await page.getByText('Es wurde vielleicht gelöscht').waitFor();
  }
  await page.getByRole('main').getByRole('link', { name: 'Zur Startseite' }).click();
  await page.waitForURL(`**/o/${slug}`);
});

browserTest('language and appearance are remembered', async () => {
  const { slug, owner } = await seedOrganization();
  const page = await visit(`/o/${slug}`, { userId: owner.id, viewport: PHONE });
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitemradio', { name: 'Deutsch' }).click();
  await page.getByRole('heading', { level: 1, name: 'Start' }).waitFor();
  expect(await page.locator('html').getAttribute('lang')).toBe('de');
  await page.getByRole('menuitemradio', { name: 'Dunkel' }).click();
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Start' }).waitFor();
  expect(await page.locator('html').getAttribute('data-mantine-color-scheme')).toBe('dark');
  expect(await accessibilityFaults(page)).toEqual([]);
});

browserTest('the first page loads at most 200 kB of scripts and styles', async () => {
  const { slug, owner } = await seedOrganization();
  expect(await bytesOf(await visit('about:blank'), '/sign-in')).toBeLessThan(200_000);
  expect(await bytesOf(await visit('about:blank', { userId: owner.id }), `/o/${slug}`)).toBeLessThan(200_000);
});

browserTest('a page with a table loads in few requests', async () => {
  const { slug, owner } = await seedOrganization();
  const page = await visit('about:blank', { userId: owner.id });
  const files: string[] = [];
  page.on('request', (request) => files.push(request.url()));
  await page.goto(`/o/${slug}/products`);
  await page.waitForLoadState('networkidle');
  expect(files.filter((each) => /\.(js|css)$/.test(each)).length).toBeLessThan(30);
});

browserTest('a lost socket is announced, and its changes arrive when it is back', async () => {
  const catalog = await seedCatalog();
  const products = await catalog.addColored(3);
  const page = await visit('about:blank', { userId: catalog.owner.id });
  const sockets = await breakerOf(page);
  await page.goto(`/o/${catalog.slug}`);
  await page.getByText('100,000 credits').waitFor();
  await sockets.break();
  await page.getByText('The connection is lost.').waitFor();
  await catalog.enrich(products);
  sockets.mend();
  await page.getByText('The connection is lost.').waitFor({ state: 'detached' });
  await page.getByText('99,997 credits').waitFor();
  await page.getByRole('link', { name: 'Product enrichment' }).waitFor();
});

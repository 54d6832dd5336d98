import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { startBrowser } from './chromium.ts';
import { seedGallery } from './gallery-data.ts';
import { photograph } from './photograph.ts';

const { link, out, only } = parseArgs({
  options: { link: { type: 'string' }, out: { type: 'string', default: 'screenshots' }, only: { type: 'string' } },
}).values;
const chosen = only?.split(',');
if (!link) throw new Error('--link needs the sign-in link that `npm start` prints');
process.env.SCREENSHOTS = out;

/** Pages by the name of their picture. A list leads to its first record. */
const lists = ['products', 'jobs', 'imports', 'agents', 'webhooks'];
const paths: Record<string, string> = {
  home: '',
  review: 'review',
  attributes: 'attributes',
  'attribute-sets': 'attributes/sets',
  'new-attribute': 'attributes/edit/new',
  'new-import': 'imports/new',
  'new-job': 'jobs/new',
  signature: 'webhooks/signature',
  content: 'content',
  nothing: 'nothing',
};
for (const view of ['conversations', 'tickets', 'leads', 'submissions']) paths[`inbox-${view}`] = `inbox/${view}`;
for (const part of ['organization', 'members', 'keys', 'credits', 'audit', 'profile'])
  paths[`settings-${part}`] = `settings/${part}`;

const { origin, pathname } = new URL(link);
const server = createServer((_, response) => response.setHeader('content-type', 'text/html; charset=utf-8').end(shop));
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const shopOrigin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
let shop = '';

const browser = await startBrowser();
try {
  const context = await browser.newContext({
    baseURL: origin,
    locale: 'en-US',
    reducedMotion: 'reduce',
    viewport: { width: 1280, height: 800 },
  });
  const page = await context.newPage();
  await page.goto('/sign-in');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await photograph(page, 'sign-in');
  await page.goto(pathname);
  await page.getByRole('button', { name: 'Continue to the dashboard' }).click();
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  const base = new URL(page.url()).pathname;
  const { agentId, publicSlug, conversationId, sitePath } = await seedGallery(page, shopOrigin);
  for (const tab of ['settings', 'playground', 'sources', 'tools', 'secrets', 'questions', 'embed'])
    paths[`agent-${tab}`] = `agents/${agentId}/${tab}`;
  Object.assign(paths, {
    conversation: `inbox/conversations/${conversationId}`,
    site: sitePath,
    'site-posts': `${sitePath}/posts`,
  });

  for (const [name, path] of Object.entries(paths)) await take(page, `${base}/${path}`, name);
  for (const list of lists) {
    await take(page, `${base}/${list}`, list);
    if (chosen && !chosen.includes(`${list}-first`)) continue;
    await page.goto(`${base}/${list}`);
    const first = page.locator('table a').first();
    await page.locator('h1').waitFor();
    await page.waitForLoadState('networkidle');
    if ((await first.count()) > 0) await take(page, (await first.getAttribute('href'))!, `${list}-first`);
  }
  shop = shopPage(`<script src="${origin}/widget.js" data-agent="${publicSlug}" async></script>`);
  await page.goto(shopOrigin);
  await page.getByRole('button', { name: /^Open chat/ }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('How long can I return goods?');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Good reply' }).first().waitFor();
  await photograph(page, 'widget');
} finally {
  await browser.close();
  server.close();
}

async function take(page: Page, path: string, name: string): Promise<void> {
  if (chosen && !chosen.includes(name)) return;
  await page.goto(path);
  await page.locator('h1').first().waitFor();
  await page.waitForLoadState('networkidle');
  await photograph(page, name);
}

function shopPage(script: string): string {
  const cards = ['Torvik JS18 jigsaw', 'Bench lamp', 'Garden bench'].map((name) => `<li><b>${name}</b><span>In stock</span></li>`);
  const style = `body{font:16px system-ui;margin:0;background:Canvas;color:CanvasText;color-scheme:light dark}header{padding:20px 5vw;border-bottom:1px solid #8884}
    main{padding:24px 5vw}ul{display:grid;grid-template-columns:repeat(auto-fill,minmax(200px,1fr));gap:16px;padding:0;list-style:none}
    li{display:grid;gap:8px;padding:96px 16px 16px;border-radius:12px;background:#8882}span{opacity:.7}`;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Shop</title>
    <style>${style}</style><header><b>Example Trade Supplies</b></header><main><h1>Tools and furniture</h1><ul>${cards.join('')}</ul></main>${script}`;
}

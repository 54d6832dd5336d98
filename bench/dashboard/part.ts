import { createHash, randomBytes } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { hasBrowser, startBrowser } from '../../tests/browser/chromium.ts';
import type { Line } from '../report.ts';
import type { Bench, Note, Part } from '../system.ts';
import { interactions } from './interactions.ts';
import { scrolling } from './scrolling.ts';

/** Delays that a user of the dashboard notices, measured in a browser on this machine. */
async function measure(bench: Bench, note: Note): Promise<Line[]> {
  if (!hasBrowser) throw new Error('Install chromium to measure the dashboard');
  const browser = await startBrowser();
  try {
    const page = await signedIn(browser, bench);
    return [...(await scrolling(page, bench, note)), ...(await interactions(page, bench, note))];
  } finally {
    await browser.close();
  }
}

export const dashboard: Part = { organizations: ['large', 'kinds', 'live'], pages: true, measure };

const LINK = `
  insert into identity.sign_in_links (token_hash, user_id, expires_at)
  select $1, user_id, now() + interval '1 minute' from identity.memberships where organization_id = $2 limit 1`;

async function signedIn(browser: Browser, { url, pool, organizations }: Bench): Promise<Page> {
  const token = `cl_${randomBytes(32).toString('base64url')}`;
  await pool.query(LINK, [createHash('sha256').update(token).digest(), organizations.live!.id]);
  const page = await browser.newPage({ baseURL: url, viewport: { width: 1280, height: 800 }, locale: 'en-US' });
  await page.goto(`/auth/link/${token}`);
  await page.getByRole('button', { name: 'Continue to the dashboard' }).click();
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  return page;
}

import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { AxeBuilder } from '@axe-core/playwright';
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { database } from '../support/seed.ts';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const args = ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** `test` where a browser is installed. */
export const browserTest = executablePath ? test : test.skip;

export const launch = () => chromium.launch({ executablePath, args });

interface Visit extends BrowserContextOptions {
  browser: Awaited<ReturnType<typeof launch>>;
  system: { url: string; databaseUrl: string };
  userId: string;
  /** The short name of the organization. */
  organization: string;
}

/** Sign a user in with a link, in a browser profile of its own. `faults` has the errors of the console and requests to other hosts. */
export async function visit({ browser, system, userId, organization, ...options }: Visit) {
  const context = await browser.newContext({ baseURL: system.url, locale: 'en-US', reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('request', (request) => {
    const { origin } = new URL(request.url());
    if (origin !== 'null' && origin !== system.url) faults.push(`request to ${origin}`);
  });
  await page.goto(`/auth/link/${await createLink(system.databaseUrl, userId)}`);
  await page.getByRole('button', { name: 'Continue to the dashboard' }).click();
  await page.waitForURL((url) => url.pathname.startsWith('/o/'));
  return {
    page,
    context,
    faults,
    open: (path: string) => page.goto(`/o/${organization}/${path}`),
    close: () => context.close(),
  };
}

async function createLink(databaseUrl: string, userId: string): Promise<string> {
  const token = `cl_${randomBytes(32).toString('base64url')}`;
  const hash = createHash('sha256').update(token).digest();
  const insert = `insert into identity.sign_in_links (token_hash, user_id, expires_at) values ($1, $2, now() + interval '15 minutes')`;
  await database(databaseUrl).query(insert, [hash, userId]);
  return token;
}

/** The findings of axe, as rule and element. */
export async function findingsOf(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${target.join(' ')}: ${failureSummary}`),
  );
}

/** Save the page in both schemes, wide and narrow, into the folder `SCREENSHOTS`. Does nothing without it. */
export async function photograph(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (!folder) return;
  for (const [size, width, height] of [
    ['wide', 1280, 800],
    ['narrow', 360, 740],
  ] as const) {
    await page.setViewportSize({ width, height });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.waitForTimeout(150);
      await page.screenshot({ path: `${folder}/${name}-${size}-${colorScheme}.png` });
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ colorScheme: 'light' });
}

import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { signIn } from '../support/session.ts';
import { PATIENCE } from '../support/until.ts';
import { violationsOf } from './axe.ts';
import { hasBrowser, startBrowser } from './chromium.ts';

export const url = process.env.TEST_URL!;

/** `test` where a browser is installed. */
export const browserTest = hasBrowser ? test : test.skip;
export const PHONE = { width: 360, height: 740 };

interface System {
  url: string;
  databaseUrl?: string;
}

interface Visit extends BrowserContextOptions {
  /** The signed-in user; nobody if absent. */
  userId?: string;
  system?: System;
}

/** One browser for a test file. Each visit has a profile of its own. `own` is the system that it visits by default. */
export function dashboard(own: System = { url }) {
  let browser: Browser | undefined;
  const visits: { page: Page; faults: string[]; foreign: string[] }[] = [];
  beforeAll(async () => {
    if (hasBrowser) browser = await startBrowser();
  });
  afterAll(() => browser?.close());
  afterEach(async () => {
    const opened = visits.splice(0);
    expect((await Promise.all(opened.map(({ page }) => storedBy(page)))).flat()).toEqual([]);
    await Promise.all(opened.map(({ page }) => page.context().close()));
    // A refusal by the content security policy is an error in the console.
    expect(opened.flatMap(({ faults }) => faults)).toEqual([]);
    expect(opened.flatMap(({ foreign }) => foreign)).toEqual([]);
  });

  /** Open a page of the dashboard. Errors in its console, and requests to other origins, fail the test. */
  return async function visit(path: string, { userId, system = own, ...options }: Visit = {}): Promise<Page> {
    const base = system.url;
    const context = await browser!.newContext({ baseURL: base, locale: 'en-US', reducedMotion: 'reduce', ...options });
    context.setDefaultTimeout(PATIENCE);
    if (userId) await context.addCookies([{ name: 'session', value: (await signIn(userId, system)).token, url: base }]);
    // A busy browser sends some requests past an interception that begins after the page was loaded.
    await context.route('**/graphql', (route) => route.fallback());
    const page = await context.newPage();
    const opened = { page, faults: [] as string[], foreign: [] as string[] };
    visits.push(opened);
    page.on('pageerror', (error) => opened.faults.push(String(error.stack)));
    page.on('console', (message) => {
      // Browsers report failed requests, too; the pages show these themselves.
      if (message.type() === 'error' && !/Failed to load resource|WebSocket connection/.test(message.text()))
        opened.faults.push(message.text());
    });
    page.on('response', async (response) => {
      if (response.request().resourceType() !== 'document') return;
      const policy = response.headers()['content-security-policy'] ?? '';
      if (!/(^|; )script-src 'self'(;|$)/.test(policy)) opened.faults.push(`${response.url()} has the policy ${policy}`);
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(base) && !/^(data|blob):/.test(request.url())) opened.foreign.push(request.url());
    });
    await page.goto(path);
    return page;
  };
}

/** The elements of a page that scroll sideways, except for tabs. */
export const sidewaysScrollers = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    Array.from(document.querySelectorAll<HTMLElement>('*'))
      .filter(
        (each) =>
          each.role !== 'tablist' &&
          each.scrollWidth > each.clientWidth + 1 &&
          /auto|scroll/.test(getComputedStyle(each).overflowX),
      )
      .map((each) => each.outerHTML.slice(0, 200)),
  );

/** Names that a page may store in the browser. A session is in a cookie that no script can read. */
const STORABLE = /^(language|organization|mantine-color-scheme-value|chat-widget:.*)$/;

/** The names of what else a page has stored, and its inline scripts. */
async function storedBy(page: Page): Promise<string[]> {
  if (page.isClosed() || page.url() === 'about:blank') return [];
  const names = await page.evaluate(() => [
    ...Object.keys(localStorage),
    ...Object.keys(sessionStorage),
    ...Array.from(document.querySelectorAll('script:not([src])'), (script) => script.outerHTML),
  ]);
  return names.filter((name) => !STORABLE.test(name));
}

/** Resolves when all animations with an end have ended; colors in between have no contrast. A transition begins a frame after its cause. */
const settled = `new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next))).then(() =>
  Promise.allSettled(document.getAnimations()
    .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity).map(({ finished }) => finished)))`;

/** Wait until the page has drawn its last change, and all animations with an end have ended. */
export const settle = async (page: Page): Promise<void> => void (await page.evaluate(settled));

/** The faults that axe finds in a page. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // The address of a page changes before its code has arrived.
  await page.locator('h1').first().waitFor({ state: 'attached' });
  await settle(page);
  const violations = await violationsOf(page);
  return violations.map(({ id, html }) => `${page.url()} ${id}: ${html.map((each) => each.slice(0, 200)).join(' ')}`);
}

/** Compressed bytes of the scripts and styles that a page loads. */
export async function bytesOf(page: Page, path: string): Promise<number> {
  const sizes: Promise<number>[] = [];
  page.on('response', (response) => {
    if (/\.(js|css)$/.test(new URL(response.url()).pathname)) sizes.push(response.body().then((body) => gzipSync(body).length));
  });
  await page.goto(path);
  await page.waitForLoadState('networkidle');
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

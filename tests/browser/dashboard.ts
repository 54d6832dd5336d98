import { existsSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { AxeBuilder } from '@axe-core/playwright';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { signIn } from '../support/session.ts';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const args = ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
export const url = process.env.TEST_URL!;

/** `test` where a browser is installed. */
export const browserTest = executablePath ? test : test.skip;
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
    if (executablePath) browser = await chromium.launch({ executablePath, args });
  });
  afterAll(() => browser?.close());
  afterEach(async () => {
    const opened = visits.splice(0);
    await Promise.all(opened.map(({ page }) => page.context().close()));
    // A refusal by the content security policy is an error in the console.
    expect(opened.flatMap(({ faults }) => faults)).toEqual([]);
    expect(opened.flatMap(({ foreign }) => foreign)).toEqual([]);
  });

  /** Open a page of the dashboard. Errors in its console, and requests to other origins, fail the test. */
  return async function visit(path: string, { userId, system = own, ...options }: Visit = {}): Promise<Page> {
    const base = system.url;
    const context = await browser!.newContext({ baseURL: base, locale: 'en-US', reducedMotion: 'reduce', ...options });
    context.setDefaultTimeout(15_000);
    if (userId) await context.addCookies([{ name: 'session', value: (await signIn(userId, system)).token, url: base }]);
    const page = await context.newPage();
    const opened = { page, faults: [] as string[], foreign: [] as string[] };
    visits.push(opened);
    page.on('pageerror', (error) => opened.faults.push(String(error.stack)));
    page.on('console', (message) => {
      // Browsers report failed requests, too; the pages show these themselves.
      if (message.type() === 'error' && !/Failed to load resource|WebSocket connection/.test(message.text()))
        opened.faults.push(message.text());
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(base) && !/^(data|blob):/.test(request.url())) opened.foreign.push(request.url());
    });
    await page.goto(path);
    return page;
  };
}

/** Resolves when all animations with an end have ended; colors in between have no contrast. A transition begins a frame after its cause. */
const settled = `new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next))).then(() =>
  Promise.allSettled(document.getAnimations()
    .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity).map(({ finished }) => finished)))`;

/** The faults that axe finds in a page. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await page.evaluate(settled);
  const { violations } = await new AxeBuilder({ page }).options({ resultTypes: ['violations'] }).analyze();
  return violations.map(({ id, nodes }) => `${page.url()} ${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' ')}`);
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

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { buildPages } from '../../start/page-builds.ts';
import { seedAgent } from '../agent/chat/chatting.ts';
import { startChatProvider } from '../support/chat-provider.ts';
import { openGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/until.ts';
import { hasBrowser, startBrowser } from './chromium.ts';

const fakeMicrophone = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'];

/** `test` where a browser is installed. */
export const browserTest = hasBrowser ? test : test.skip;

interface PageOptions extends BrowserContextOptions {
  /** Base URL of the service, for example of a forwarder to it. */
  service?: string;
  /** Attributes of the script element; several elements for a list. */
  attributes?: string | string[];
  /** Content security policy of the page. */
  policy?: string;
  html?: string;
}

/** A website that embeds the widget, a gateway whose agents a script answers for, and a browser. */
export async function openWebsite(env: Record<string, string> = {}) {
  const provider = await startChatProvider();
  // The gateway serves what is built when it starts.
  await buildPages(() => {}, ['widget']);
  const [gateway, browser] = await Promise.all([
    openGateway({ OPENAI_BASE_URL: provider.url, OUTBOUND_ALLOW_HOSTS: '127.0.0.1', ...env }),
    startBrowser(fakeMicrophone),
  ]);
  const pages = new Map<string, { html: string; policy?: string }>();
  const server = createServer((request, response) => {
    const page = pages.get(request.url!);
    if (page?.policy) response.setHeader('content-security-policy', page.policy);
    // Browsers ask for an icon, too.
    response.writeHead(page ? 200 : 204, { 'content-type': 'text/html; charset=utf-8' }).end(page?.html);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    provider,
    gateway,
    browser,
    origin,
    /** An agent that the website may embed. */
    seed: (settings: object = {}, organization: object = {}) =>
      seedAgent(gateway.url, { name: 'Zoe', allowedOrigins: [origin], ...settings }, organization),
    /** Open a page that embeds the widget in a browser profile of its own. */
    async open({
      service = gateway.url,
      attributes = [],
      policy,
      html = '<main><h1>Shop</h1><button>Buy</button></main>',
      ...options
    }: PageOptions) {
      const path = `/${pages.size}`;
      const scripts = [attributes].flat().map((each) => `<script src="${service}/widget.js" ${each} async></script>`);
      const head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Shop</title>';
      pages.set(path, {
        html: `<!doctype html><html lang="en"><head>${head}</head><body>${html}${scripts.join('')}</body></html>`,
        policy,
      });
      const context = await browser.newContext({ locale: 'en-US', ...options });
      context.setDefaultTimeout(PATIENCE);
      const page = await context.newPage();
      const faults: string[] = [];
      const requested = new Set<string>();
      page.on('console', (message) => message.type() === 'error' && faults.push(`${message.text()} ${message.location().url}`));
      page.on('pageerror', (error) => faults.push(error.message));
      page.on('request', (request) => requested.add(new URL(request.url()).origin));
      await page.goto(origin + path);
      return { page, context, faults, requested, ...locatorsOf(page) };
    },
    async close() {
      await browser.close();
      await gateway.stop();
      await provider.close();
      server.close();
    },
  };
}

/** The parts of the widget, as a visitor knows them. */
export function locatorsOf(page: Page) {
  const panel = page.getByRole('dialog');
  return {
    launcher: page.getByRole('button', { name: /^Open chat/ }),
    panel,
    input: panel.getByRole('textbox').last(),
    messages: panel.getByRole('listitem'),
    /** Whether the focus is within the widget. Without it, neither Escape nor the trap of the Tab key work. */
    hasFocus: () => page.evaluate(() => document.activeElement?.localName === 'catalog-graph-widget'),
    async ask(text: string) {
      await panel.getByRole('textbox').last().fill(text);
      await page.keyboard.press('Enter');
    },
  };
}

export type Website = Awaited<ReturnType<typeof openWebsite>>;

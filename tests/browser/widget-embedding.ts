import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Locator } from 'playwright-core';
import { until } from '../support/until.ts';
import { browserTest, type Website } from './widget-page.ts';

/** Tests of the widget on a website that `open` returns. */
export function embeddingTests(open: () => Promise<Website>): void {
  let site: Website;
  let agent: Awaited<ReturnType<Website['seed']>>;
  const tag = (more = '') => `data-agent="${agent.agent.publicSlug}" ${more}`;

  browserTest('a website opens', async () => {
    site = await open();
    agent = await site.seed({ welcomeMessage: 'Hello!', theme: { primary: 'gold', bubble: 'red;} *{display:none' } });
  });

  browserTest('the script stays below 12 kB, and below 60 kB with the panel', () => {
    const [script, panel] = ['widget.js', 'widget-panel.js'].map(
      (name) => gzipSync(readFileSync(`web/widget/dist/${name}`)).length,
    );
    expect(script).toBeLessThan(12_000);
    expect(script! + panel!).toBeLessThan(60_000);
  });

  browserTest('on a page of another origin nothing shows, and the console says what to change', async () => {
    const closed = await site.seed({ name: 'Mia', allowedOrigins: ['https://shop.example.com'] });
    const visit = await site.open({
      attributes: [`data-agent="${closed.agent.publicSlug}"`, 'data-agent="nobody" data-name="second"', 'data-name="third"'],
    });
    await until(() => visit.faults.filter((text) => text.startsWith('[chat widget]')).length === 3);
    const text = visit.faults.join('\n');
    expect(text).toContain(`open Agents → Mia → Allowed origins, and add exactly: ${site.origin}`);
    expect(text).toContain('There is no public agent "nobody"');
    expect(text).toContain('needs the attribute data-agent');
    expect(await visit.page.locator('catalog-graph-widget').count()).toBe(0);
  });

  browserTest('it works on a page with a strict content security policy and Trusted Types', async () => {
    const { url } = site.gateway;
    const policy = `default-src 'none'; script-src ${url}; connect-src ${url}; require-trusted-types-for 'script'; trusted-types 'none'`;
    const visit = await site.open({ attributes: tag(), policy });
    await visit.launcher.click();
    await visit.ask('hello');
    await visit.messages.getByText('Echo: hello').waitFor();
    expect(
      await visit.page
        .getByRole('button', { name: 'Close chat' })
        .last()
        .evaluate((each) => getComputedStyle(each).backgroundColor),
    ).toBe('rgb(255, 215, 0)');
    expect(visit.faults).toEqual([]);
  });

  browserTest('styles of the page do not leak in, and those of the widget do not leak out', async () => {
    const html =
      '<style>* { color: lime !important; font-size: 40px !important } button { display: none !important }</style><p id="mine">Mine</p>';
    const visit = await site.open({ attributes: tag(), html });
    await visit.launcher.click();
    await visit.messages.getByText('Hello!').waitFor();
    const sizes = await visit.messages.getByText('Hello!').evaluate((each) => getComputedStyle(each).fontSize);
    expect(sizes).toBe('15px');
    expect(await visit.page.locator('#mine').evaluate((each) => getComputedStyle(each).fontFamily)).not.toMatch('system-ui');
  });

  browserTest('a page may have an element of its own with the name chat-widget', async () => {
    const script = `customElements.define('chat-widget', class extends HTMLElement {
      constructor() { super(); this.attachShadow({ mode: 'open' }); }
    })`;
    const visit = await site.open({ attributes: tag(), html: `<script>${script}</script><chat-widget></chat-widget>` });
    await visit.launcher.click();
    await visit.messages.getByText('Hello!').waitFor();
    expect(visit.faults).toEqual([]);
  });

  browserTest('two agents share a page, each with its own name', async () => {
    const other = await site.seed({ name: 'Ben', welcomeMessage: 'I am Ben.' });
    const second = `data-agent="${other.agent.publicSlug}" data-name="ben" data-position="left" data-lang="de-AT" data-scheme="dark"`;
    const visit = await site.open({ attributes: [tag(), second] });
    await visit.page.getByRole('button', { name: 'Chat öffnen' }).click();
    await visit.panel.getByText('I am Ben.').waitFor();
    await visit.panel.getByRole('textbox', { name: 'Nachricht schreiben' }).waitFor();
    await visit.page.keyboard.press('Escape');
    await visit.launcher.click();
    await visit.panel.getByText('Hello!').waitFor();
    const twice = await site.open({ attributes: [tag(), tag()] });
    await twice.launcher.waitFor();
    await until(() => twice.faults.length > 0);
    expect(twice.faults).toEqual([expect.stringContaining('Give each widget of a page its own data-name')]);
  });

  browserTest('the page opens, sends and listens; a reply to a closed panel counts as unread', async () => {
    const visit = await site.open({ attributes: tag() });
    await visit.launcher.waitFor();
    const { page } = visit;
    await page.evaluate(() => {
      const { chatWidget } = window as unknown as {
        chatWidget: { on(event: string, listener: (detail: unknown) => void): () => void };
      };
      const heard: unknown[] = [];
      Object.assign(window, { heard });
      for (const event of ['open', 'close', 'message', 'unread']) chatWidget.on(event, (detail) => heard.push([event, detail]));
      chatWidget.on('message', () => {
        throw new Error('a listener of the page throws');
      });
    });
    let release = () => {};
    site.provider.on('from the page', async (response) => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      response.text('An answer.').finish();
    });
    await page.evaluate(`chatWidget.send('A question from the page')`);
    await visit.messages.getByText('A question from the page').waitFor();
    await visit.panel.getByRole('button', { name: 'Stop the reply' }).waitFor();
    await until(() => site.provider.requests('from the page').length > 0);
    await page.evaluate('chatWidget.close()');
    release();
    await page.getByRole('button', { name: 'Open chat (1 unread message)' }).click();
    await visit.messages.getByText('An answer.').waitFor();
    expect(await page.evaluate('heard')).toEqual([
      ['open', undefined],
      ['message', { role: 'user', text: 'A question from the page' }],
      ['close', undefined],
      ['message', { role: 'assistant', text: 'An answer.' }],
      ['unread', { count: 1 }],
      ['unread', { count: 0 }],
      ['open', undefined],
    ]);
  });

  browserTest('a panel that could not be loaded leaves a closed button, and the next click loads it', async () => {
    const visit = await site.open({ attributes: tag() });
    await visit.page.route('**/widget-panel.js*', (route) => route.abort(), { times: 1 });
    await visit.launcher.click();
    await until(() => visit.faults.some((text) => text.includes('The panel could not be loaded')));
    await until(async () => (await visit.launcher.getAttribute('aria-expanded')) === 'false');
    expect(await visit.launcher.getAttribute('aria-busy')).toBe('false');
    await visit.launcher.click();
    await visit.messages.getByText('Hello!').waitFor();
  });

  browserTest('a message that the page sends before the widget is visible is sent, even if the page closes it', async () => {
    const visit = await site.open({ attributes: tag() });
    let release = () => {};
    const isReleased = new Promise<void>((resolve) => {
      release = resolve;
    });
    await visit.page.route('**/config*', async (route) => {
      await isReleased;
      await route.continue();
    });
    await visit.page.reload();
    await visit.page.waitForFunction('window.chatWidget');
    await visit.page.evaluate(`chatWidget.send('Sent early'); chatWidget.close()`);
    release();
    await visit.page.getByRole('button', { name: 'Open chat (1 unread message)' }).click();
    await visit.messages.getByText('Echo: Sent early').waitFor();
  });

  browserTest('it survives a framework that replaces the body and clears the root element', async () => {
    const visit = await site.open({ attributes: tag() });
    await visit.launcher.waitFor();
    await visit.page.evaluate(() => {
      document.querySelector('catalog-graph-widget')!.remove();
      document.body.replaceWith(document.createElement('body'));
    });
    await visit.launcher.click();
    await visit.messages.getByText('Hello!').waitFor();
  });

  browserTest.each([
    ['a phone', 360, 740, 'left'],
    ['a phone on its side', 667, 375, 'right'],
    ['a phone on its side', 667, 375, 'left'],
    ['a small frame', 320, 300, 'right'],
    ['a low frame', 700, 200, 'right'],
  ])('in %s of %d × %d pixels the whole panel on the %s can be used', async (_, width, height, side) => {
    const attributes = tag(`data-position="${side}"`);
    const visit = await site.open({ attributes, viewport: { width, height }, reducedMotion: 'reduce' });
    const isInside = async (part: Locator) => {
      const box = (await part.boundingBox())!;
      return box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height;
    };
    await visit.launcher.waitFor();
    expect(await isInside(visit.launcher)).toBe(true);
    await visit.launcher.click();
    await visit.ask('a question');
    await visit.messages.getByText('Echo: a question').waitFor();
    const close = visit.panel.getByRole('button', { name: 'Close chat' });
    const more = visit.panel.getByRole('button', { name: 'More options' });
    expect(await Promise.all([visit.panel, close, visit.input, more].map(isInside))).toEqual([true, true, true, true]);
    await more.click();
    const contact = visit.panel.getByRole('button', { name: 'Leave your contact details' });
    expect(await isInside(contact)).toBe(true);
    await contact.click();
    await visit.panel.getByLabel('Name').fill('Ada');
    await visit.panel.getByRole('button', { name: 'Send', exact: true }).click();
    await visit.messages.getByText('“Leave your contact details” was sent. Thank you.').waitFor();
    await close.click();
    await visit.panel.waitFor({ state: 'hidden' });
    await visit.launcher.click();
    await visit.panel.waitFor();
  });

  browserTest('a text that is too long is cut between two characters', async () => {
    const visit = await site.open({ attributes: tag() });
    await visit.launcher.waitFor();
    const sent = visit.page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/chat'));
    await visit.page.evaluate(`chatWidget.send('x'.repeat(19_999) + '😀 and more')`);
    const { messages } = (await sent).postDataJSON();
    expect(messages[0].parts[0].text === 'x'.repeat(19_999)).toBe(true);
  });
}

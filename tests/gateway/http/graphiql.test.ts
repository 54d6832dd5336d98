import { expect, test } from '@jest/globals';
import { hasBrowser, startBrowser } from '../../browser/chromium.ts';
import { endpoint } from './endpoint.ts';

test('only a browser gets the GraphiQL page, with its own content security policy', async () => {
  await using graph = await endpoint();
  const page = await fetch(`${graph.url}/graphql`, { headers: { accept: 'text/html' } });
  expect(page.headers.get('content-type')).toContain('text/html');
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'sha256-");
  const other = await fetch(`${graph.url}/graphql`, { headers: { accept: 'application/json' } });
  expect(other.headers.get('content-type')).toContain('application/json');
});

test('a browser gets no page without introspection', async () => {
  await using graph = await endpoint({ introspection: false });
  const page = await fetch(`${graph.url}/graphql`, { headers: { accept: 'text/html' } });
  expect([page.status, page.headers.get('content-type')]).toEqual([400, 'application/json; charset=utf-8']);
});

(hasBrowser ? test : test.skip)('GraphiQL runs a query and a subscription, and asks nobody else for anything', async () => {
  await using graph = await endpoint();
  const browser = await startBrowser();
  try {
    const asked = new Set<string>();
    const faults: string[] = [];
    const open = async (query: string) => {
      const page = await browser.newPage({ viewport: { width: 1400, height: 800 } });
      page.on('request', (request) => asked.add(new URL(request.url()).origin));
      page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
      page.on('pageerror', (error) => faults.push(error.message));
      await page.goto(`${graph.url}/graphql?query=${encodeURIComponent(query)}`);
      return { page, run: page.locator('.graphiql-execute-button'), result: page.locator('.result-window') };
    };

    const query = await open('{ hello seen }');
    await query.run.click();
    await query.result.getByText(/hello.world/).waitFor();

    const subscription = await open('subscription { ticks(upTo: 3) }');
    await subscription.page.locator('.graphiql-editor-tool .view-lines:visible').click();
    await subscription.page.keyboard.press('Control+A');
    // The editor closes the brace itself.
    await subscription.page.keyboard.insertText('{ "x-api-key": "good" ');
    await subscription.run.click();
    await subscription.result.getByText('"3"').waitFor();

    expect([...asked].filter((origin) => origin !== 'null')).toEqual([graph.url]);
    expect(faults).toEqual([]);
  } finally {
    await browser.close();
  }
});

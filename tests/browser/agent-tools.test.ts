import { seedAgent } from '../agent/chat/chatting.ts';
import { startMcpServer } from '../agent/tools/mcp-server.ts';
import { startToolReceiver } from '../agent/tools/receiver.ts';
import { startChatProvider } from '../support/chat-provider.ts';
import { openGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';
import { accessibilityFaults, browserTest, dashboard } from './dashboard.ts';
import { photograph } from './photograph.ts';

const provider = await startChatProvider();
const receiver = await startToolReceiver();
const gateway = await openGateway({ OPENAI_BASE_URL: provider.url, OUTBOUND_ALLOW_HOSTS: '127.0.0.1' });
const visit = dashboard(gateway);
const acme = await seedAgent(gateway.url, { suggestedMessages: ['Where is my order A-17?'] }, { modules: ['helpdesk'] });
const agentPath = `/o/${acme.slug}/agents/${acme.agent.id}`;
afterAll(async () => {
  await gateway.stop();
  await Promise.all([provider.close(), receiver.close()]);
});

browserTest('a dry run shows the request without its secret, and the playground shows tool calls and citations', async () => {
  const page = await visit(`${agentPath}/secrets`, { userId: acme.owner.id });
  await page.getByRole('button', { name: 'Add secret' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('SHOP_KEY');
  await dialog.getByRole('textbox', { name: 'Value' }).fill('very-secret');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('{{secret:SHOP_KEY}}').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);

  // The three are on one page, and each address leads to its section.
  const inView = (name: string) =>
    until(() =>
      page.getByRole('heading', { name, exact: true }).evaluate((heading) => {
        const { top, bottom } = heading.getBoundingClientRect();
        return top >= 0 && bottom <= innerHeight;
      }),
    );
  await inView('Secrets');
  expect(await page.getByRole('tab', { name: 'Connections' }).getAttribute('aria-selected')).toBe('true');
  await page.getByText('No MCP servers yet').waitFor();
  await page.goto(`${agentPath}/tools`);
  await inView('Tools');
  await page.getByRole('tab', { name: 'Settings' }).click();
  await page.getByRole('tab', { name: 'Connections' }).click();
  await page.waitForURL(/\/connections$/);
  await photograph(page, 'connections');
  await page.getByRole('button', { name: 'Add tool' }).click();
  await dialog.getByLabel('Name').fill('find_order');
  await dialog.getByLabel('Description').fill('Finds an order by its number.');
  await dialog.getByLabel('Address').fill(`${receiver.url}/orders/{{params.orderNumber}}`);
  const headers = dialog.getByRole('group', { name: 'Headers' });
  await headers.getByRole('button', { name: 'Add: Headers' }).click();
  await headers.getByRole('textbox', { name: 'Header' }).fill('x-key');
  await headers.getByLabel('Value').fill('{{secret:SHOP_KEY}}');
  await photograph(page, 'tool-rows');
  // JSON that is no object stays as it is typed, until rows can show it.
  await headers.getByRole('switch').check();
  const stored = await headers.getByRole('textbox', { name: 'Headers' }).inputValue();
  await headers.getByRole('textbox', { name: 'Headers' }).fill('null');
  expect(await headers.getByRole('switch').isDisabled()).toBe(true);
  await headers.getByRole('textbox', { name: 'Headers' }).fill(stored);
  await headers.getByRole('switch').uncheck();
  expect(await accessibilityFaults(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Save' }).click();
  // Another one from a command, whose secret stays out.
  await page.getByRole('button', { name: 'Add tool' }).click();
  await dialog.getByRole('button', { name: 'From cURL or OpenAPI' }).click();
  const reading = page.getByRole('dialog', { name: 'From cURL or OpenAPI' });
  await reading.getByLabel('Command or document').fill(`curl '${receiver.url}/stock?sku=L1' -H 'x-api-key: very-secret'`);
  await reading.getByText('Secrets of the command were not taken').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await photograph(page, 'tool-import');
  await reading.getByRole('button', { name: 'Use it' }).click();
  expect(await dialog.getByLabel('Name').inputValue()).toBe('stock');
  expect(await dialog.getByRole('group', { name: 'Parameters' }).getByRole('textbox', { name: 'Parameter' }).inputValue()).toBe(
    'sku',
  );
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('button', { name: 'Test: find_order' }).click();
  await dialog.getByLabel('Parameters').fill('{ "orderNumber": "A-17" }');
  await dialog.getByRole('button', { name: 'Call' }).click();
  await dialog.getByText(/x-key: ••••/).waitFor();
  expect(receiver.last()).toMatchObject({ url: '/orders/A-17', headers: { 'x-key': 'very-secret' } });
  expect(await dialog.textContent()).not.toContain('very-secret');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');

  provider.on('A-17', (response, { messages }) => {
    const isCalled = messages.some(({ role }) => role === 'tool');
    if (!isCalled) return response.call(0, 'call_1', 'find_order', '{"orderNumber":"A-17"}').finish('tool_calls');
    return response.text('It is **on its way**. <img src=x onerror=alert(1)> [a](javascript:alert(1)) [1]').finish();
  });
  provider.on('moon', (response) => response.text('[no-answer] I do not know.').finish());
  await page.getByRole('tab', { name: 'Playground' }).click();
  await page.getByRole('button', { name: 'Where is my order A-17?' }).click();
  const log = page.getByRole('log');
  await log.getByText('on its way').waitFor();
  await log.getByText('<img src=x onerror=alert(1)>').waitFor();
  await log.getByRole('button', { name: /find_order/ }).click();
  await log.getByText('"orderNumber": "A-17"').waitFor();
  expect(await log.locator('img, a[href^="javascript"]').count()).toBe(0);
  await page.getByLabel('Message', { exact: true }).fill('How far is the moon?');
  await page.keyboard.press('Enter');
  await log.getByText('I do not know.').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);

  await page.getByRole('tab', { name: 'Unanswered' }).click();
  await page.getByRole('button', { name: 'Answer' }).click();
  expect(await dialog.getByRole('textbox', { name: 'Question' }).inputValue()).toBe('How far is the moon?');
  await dialog.getByRole('textbox', { name: 'Answer' }).fill('384,400 km.');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('tab', { name: 'Sources' }).click();
  await page.getByRole('button', { name: /How far is the moon/ }).waitFor();
});

browserTest('tools of an MCP server are chosen one by one, and the error of a server is shown', async () => {
  const inputSchema = { type: 'object' as const, properties: { sku: { type: 'string' } } };
  const behavior: Parameters<typeof startMcpServer>[0] = {
    json: true,
    tools: [
      { name: 'getStock', description: 'Tells the <b>stock</b>.', inputSchema },
      { name: 'find_order', description: 'Finds an order, too.', inputSchema: { type: 'object' } },
      { name: 'odd', description: 'Cannot be used.', inputSchema: { type: 'object', properties: { a: { pattern: '(?=a)' } } } },
    ],
    call: () => ({ content: [] }),
  };
  const server = await startMcpServer(behavior);
  try {
    const page = await visit(`${agentPath}/mcp`, { userId: acme.owner.id });
    await page.getByText('No MCP servers yet').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Add MCP server' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Warehouse');
    await dialog.getByLabel('Address').fill('not an address');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Enter an address such as').waitFor();
    await dialog.getByLabel('Address').fill(server.url);
    await dialog.getByLabel('Headers').fill('{ "x-key": "{{secret:SHOP_KEY}}" }');
    expect(await accessibilityFaults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();

    const tools = page.getByRole('list', { name: 'Tools of Warehouse' });
    await tools.getByRole('button', { name: 'Choose: getStock' }).press('Enter');
    await tools.getByText('The model calls it get_stock.').waitFor();
    await tools.getByText('Tells the <b>stock</b>.').waitFor();
    // The name of another tool.
    await tools.getByRole('button', { name: 'Choose: find_order' }).click();
    await tools.getByLabel('Another name for the model').fill('Find');
    await tools.getByText('Start with a lowercase letter.').waitFor();
    await tools.getByLabel('Another name for the model').fill('find_stocked_order');
    await page.keyboard.press('Enter');
    await tools.getByText('The model calls it find_stocked_order.').waitFor();
    await tools.getByRole('button', { name: 'Choose: odd' }).click();
    await tools.getByText(/The tool cannot be used/).waitFor();
    await photograph(page, 'mcp-tools');
    expect(await accessibilityFaults(page)).toEqual([]);

    behavior.tools = behavior.tools.filter(({ name }) => name !== 'find_order');
    await dialog.getByRole('button', { name: 'Read schemas again' }).click();
    await tools.getByText('No longer offered').waitFor();
    await tools.getByRole('button', { name: 'Remove: find_stocked_order' }).click();
    await tools.getByText('No longer offered').waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page
      .getByRole('row', { name: /^Warehouse/ })
      .getByRole('cell', { name: '1', exact: true })
      .waitFor();
    await photograph(page, 'mcp-servers');

    behavior.intercept = (_, response) => Boolean(response.writeHead(403).end());
    // A read that is still running answers the next one, too.
    await until(async () => {
      await page.getByRole('button', { name: 'Tools: Warehouse' }).click();
      const error = dialog.getByText('The MCP server answered with status 403.');
      const isShown = await error.waitFor({ timeout: 5_000 }).then(
        () => true,
        () => false,
      );
      if (!isShown) await page.keyboard.press('Escape');
      return isShown;
    });
    await photograph(page, 'mcp-error');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Edit: Warehouse' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog', { name: 'Delete Warehouse?' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No MCP servers yet').waitFor();
  } finally {
    await server.close();
  }
});

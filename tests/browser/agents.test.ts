import { startMcpServer } from '../agent/mcp-server.ts';
import { startToolReceiver } from '../agent/receiver.ts';
import { startChatProvider } from '../support/chat-provider.ts';
import { caller } from '../support/client.ts';
import { openGateway } from '../support/gateway.ts';
import { seedOrganization } from '../support/seed.ts';
import { until } from '../support/until.ts';
import { accessibilityFaults, browserTest, dashboard, PHONE } from './dashboard.ts';
import { photograph } from './photograph.ts';

const provider = await startChatProvider();
const receiver = await startToolReceiver();
const gateway = await openGateway({ OPENAI_BASE_URL: provider.url, OUTBOUND_ALLOW_HOSTS: '127.0.0.1' });
const visit = dashboard(gateway);
const acme = await seedOrganization({ modules: ['helpdesk'] });
afterAll(async () => {
  await gateway.stop();
  await Promise.all([provider.close(), receiver.close()]);
});

/** Tabs of an agent that another test created. */
let agentPath: string;

browserTest('an admin creates an agent, sees its widget change while typing, and saves', async () => {
  const page = await visit(`/o/${acme.slug}/agents`, { userId: acme.owner.id });
  await page.getByText('No agents yet').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'New agent' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Zoe');
  await page.getByRole('dialog').getByRole('button', { name: 'New agent' }).click();
  await page.getByRole('heading', { level: 1, name: 'Zoe' }).waitFor();
  agentPath = new URL(page.url()).pathname.replace(/\/settings$/, '');

  const preview = page.frameLocator('iframe');
  await preview.getByRole('dialog').waitFor();
  await page.getByLabel('Welcome message').pressSequentially('Hello from the lamp shop');
  await preview.getByText('Hello from the lamp shop').waitFor();
  expect(await page.getByLabel('Welcome message').evaluate((field) => field === document.activeElement)).toBe(true);
  await page.getByText('Unsaved changes').waitFor();
  await page.getByRole('combobox', { name: 'Suggested messages' }).fill('Where is my order A-17?');
  await page.keyboard.press('Enter');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('No unsaved changes').waitFor();
  await page.reload();
  expect(await page.getByLabel('Welcome message').inputValue()).toBe('Hello from the lamp shop');
});

browserTest('the embed snippet can be copied, and the check says why an origin fails', async () => {
  const page = await visit(`${agentPath}/embed`, { userId: acme.owner.id, permissions: ['clipboard-read', 'clipboard-write'] });
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toMatch(new RegExp(`^<script src="${gateway.url}/widget.js" data-agent="zoe-[^"]+" async></script>$`));

  await page.getByRole('combobox', { name: 'Origins' }).fill('shop.example.com/lamps');
  await page.keyboard.press('Enter');
  await page.getByText('https://shop.example.com', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  const address = page.getByLabel('Address of the page');
  for (const [text, reason] of [
    ['https://shop.example.com/any/page', 'https://shop.example.com is in the list.'],
    ['http://shop.example.com', 'http and https are different origins'],
    ['https://shop.example.com:8443', 'the ports differ'],
    ['https://help.shop.example.com', 'each subdomain is an origin of its own'],
    ['file:///home/ada/shop.html', 'Serve the page over https'],
    ['https://evil.example', 'https://evil.example is not in the list.'],
    ['https://www.shop.example.com/lamps', 'with and without “www.” are different origins'],
  ] as const) {
    await address.fill(text);
    await page.getByText(reason).waitFor();
  }
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Allow https://www.shop.example.com' }).click();
  await page.getByText('This page can embed the widget').waitFor();
});

browserTest('a source becomes ready while the page is open, and retrieval explains what it finds', async () => {
  const page = await visit(`${agentPath}/sources`, { userId: acme.owner.id });
  await page.getByRole('button', { name: 'Add source' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Text', { exact: true }).click();
  await dialog.getByLabel('Name').fill('Returns');
  await dialog.getByRole('textbox', { name: 'Text' }).fill('# Returns\nEvery lamp can be returned within 30 days.');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await page.getByText('Ready').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Test retrieval' }).click();
  await dialog.getByLabel('Question').fill('When can I return a lamp?');
  await page.keyboard.press('Enter');
  await dialog.getByText(/1 passages? reach/).waitFor();
  await dialog.getByText(/Rank 1 by words/).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /Returns/ }).click();
  await dialog.getByText('Every lamp can be returned within 30 days.').waitFor();
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

  await page.getByRole('tab', { name: 'Tools' }).click();
  await page.getByRole('button', { name: 'Add tool' }).click();
  await dialog.getByLabel('Name').fill('find_order');
  await dialog.getByLabel('Description').fill('Finds an order by its number.');
  await dialog.getByLabel('Address').fill(`${receiver.url}/orders/{{params.orderNumber}}`);
  await dialog.getByLabel('Headers').fill('{ "x-key": "{{secret:SHOP_KEY}}" }');
  expect(await accessibilityFaults(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Dry run: find_order' }).click();
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

browserTest('a form with ordered fields is created by keyboard, and its submissions are one click away', async () => {
  const page = await visit(`${agentPath}/forms`, { userId: acme.owner.id });
  await page.getByText('No forms yet').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'New form' }).click();
  await page.getByLabel('Title').fill('Rückruf bitte');
  expect(await page.getByRole('textbox', { name: 'Key' }).first().inputValue()).toBe('ruckruf-bitte');
  const first = page.getByRole('group', { name: 'Field 1' });
  await first.getByLabel('Label').fill('Phone number');
  const phone = page.getByRole('group', { name: 'Phone number' });
  await phone.getByRole('combobox', { name: 'Type' }).click();
  await page.getByRole('option', { name: 'Phone number' }).click();
  await phone.getByLabel('Required').check();
  await page.getByRole('button', { name: 'Add field' }).click();
  await page.getByRole('group', { name: 'Field 2' }).getByLabel('Label').fill('Topic <i>');
  const topic = page.getByRole('group', { name: 'Topic <i>' });
  await topic.getByRole('combobox', { name: 'Type' }).click();
  await page.getByRole('option', { name: 'Choice' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await topic.getByText('A choice needs an option.').waitFor();
  await topic.getByRole('combobox', { name: 'Options' }).fill('Order');
  await page.keyboard.press('Enter');
  await topic.getByLabel('Key').fill('phoneNumber');
  await page.getByRole('button', { name: 'Save' }).click();
  await topic.getByText('Another field has this key.').waitFor();
  await topic.getByLabel('Key').fill('topic');
  await page.getByRole('button', { name: 'Move Topic <i>' }).focus();
  for (const key of ['Space', 'ArrowUp', 'Space']) await page.keyboard.press(key);
  await photograph(page, 'form-editor');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('row', { name: /Rückruf bitte/ }).waitFor();

  const { graphql } = caller(acme.key, { url: gateway.url });
  const agentId = new URL(page.url()).pathname.split('/')[4];
  const read =
    'query ($agentId: ID!) { agentForms(agentId: $agentId) { name enabled fields { name label type required options } } }';
  const forms = async () => (await graphql(read, { agentId })).agentForms;
  expect(await forms()).toEqual([
    {
      name: 'ruckruf-bitte',
      enabled: true,
      fields: [
        { name: 'topic', label: 'Topic <i>', type: 'select', required: false, options: ['Order'] },
        { name: 'phoneNumber', label: 'Phone number', type: 'phone', required: true, options: [] },
      ],
    },
  ]);
  await page.getByRole('switch', { name: 'Enabled: Rückruf bitte' }).press('Space');
  await page.waitForFunction(() => document.querySelector<HTMLInputElement>('[role=switch]')?.checked === false);
  await page.getByRole('button', { name: 'Edit: Rückruf bitte' }).click();
  await page.getByRole('button', { name: 'Remove the field Topic <i>' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('link', { name: 'Submissions: Rückruf bitte' }).click();
  await page.getByText('Nothing matches').waitFor();
  expect(await forms()).toMatchObject([{ enabled: false, fields: [{ name: 'phoneNumber' }] }]);
  await page.goBack();
  await page.getByRole('button', { name: 'Edit: Rückruf bitte' }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No forms yet').waitFor();
});

browserTest('members see no agents, and a phone has all tabs', async () => {
  const member = await acme.addMember('member');
  const page = await visit(`/o/${acme.slug}/agents`, { userId: member.id });
  await page.getByText('You have no access to this').waitFor();
  const phone = await visit(`${agentPath}/embed`, { userId: acme.owner.id, viewport: PHONE });
  await phone.getByRole('heading', { name: 'Embed snippet' }).waitFor();
  expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width);
  expect(await accessibilityFaults(phone)).toEqual([]);
  for (const tab of ['mcp', 'forms?form=new']) {
    await phone.goto(`${agentPath}/${tab}`);
    await phone.getByRole('button', { name: /Add MCP server|Add field/ }).waitFor();
    expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width);
    expect(await accessibilityFaults(phone)).toEqual([]);
  }
});

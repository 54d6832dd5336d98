import { startToolReceiver } from '../agent/receiver.ts';
import { startChatProvider } from '../support/chat-provider.ts';
import { openGateway } from '../support/gateway.ts';
import { seedOrganization } from '../support/seed.ts';
import { accessibilityFaults, browserTest, dashboard, PHONE } from './dashboard.ts';

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

browserTest('members see no agents, and a phone has all tabs', async () => {
  const member = await acme.addMember('member');
  const page = await visit(`/o/${acme.slug}/agents`, { userId: member.id });
  await page.getByText('You have no access to this').waitFor();
  const phone = await visit(`${agentPath}/embed`, { userId: acme.owner.id, viewport: PHONE });
  await phone.getByRole('heading', { name: 'Embed snippet' }).waitFor();
  expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width);
  expect(await accessibilityFaults(phone)).toEqual([]);
});

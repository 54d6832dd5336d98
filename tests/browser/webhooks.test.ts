import { startReceiving } from '../integration/receiving.ts';
import { accessibilityFaults, browserTest, dashboard } from './dashboard.ts';

const visit = dashboard();
let status = 200;
let receiving: Awaited<ReturnType<typeof startReceiving>>;
beforeAll(async () => {
  receiving = await startReceiving((_, response) => void response.writeHead(status).end('{"ok":false}'));
});
afterAll(() => receiving.stop());

browserTest('webhooks of all surfaces are created, followed, replayed, enabled and checked', async () => {
  const { organization, subscription, lead } = await receiving.open();
  const { owner, slug } = organization;
  const page = await visit(`/o/${slug}/webhooks`, { userId: owner.id, system: receiving.system });
  await page.getByRole('button', { name: 'New webhook' }).click();
  await page.getByLabel('Address').fill('http://127.0.0.1:1/hook');
  await page.getByLabel('product_enrichment.completed').check();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  const secret = await page.getByRole('dialog', { name: 'Signing secret' }).getByRole('textbox').inputValue();
  expect(secret).toMatch(/^whsec_/);
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await page.getByRole('heading', { name: '127.0.0.1:1', exact: true }).waitFor();

  await page.getByRole('navigation').getByRole('link', { name: 'Webhooks' }).click();
  await page.getByRole('button', { name: 'New webhook' }).click();
  await page.getByRole('radiogroup', { name: 'Area' }).last().getByText('Agents', { exact: true }).click();
  await page.getByLabel('Address').fill('https://hooks.example.com/team');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('Choose at least one event.').waitFor();
  await page.getByRole('checkbox', { name: 'Conversations', exact: true }).check();
  await page.getByRole('checkbox', { name: 'tool.called', exact: true }).check();
  expect(await page.getByRole('checkbox', { name: 'handoff.requested', exact: true }).isChecked()).toBe(true);
  await page.getByRole('checkbox', { name: 'handoff.requested', exact: true }).uncheck();
  await page.getByRole('checkbox', { name: 'Conversations', exact: true }).check();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('dialog', { name: 'Signing secret' }).getByRole('textbox').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  for (const event of ['conversation.started', 'conversation.closed', 'handoff.requested', 'tool.called'])
    await page.getByRole('table').getByText(event, { exact: true }).waitFor();

  await page.getByRole('navigation').getByRole('link', { name: 'Webhooks' }).click();
  await page.getByRole('table').getByText('lead.created').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page
    .getByRole('row', { name: /lead.created/ })
    .getByRole('link')
    .click();

  await page.getByText('No deliveries in the last 30 days').waitFor();
  status = 500;
  await lead('Ada');
  await receiving.sweep();
  await page.getByRole('cell', { name: 'Pending' }).waitFor();
  await page.getByRole('table').getByRole('button', { name: 'lead.created' }).click();
  await page.getByText(/^Attempt 1/).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();

  status = 200;
  await receiving.skipWaits();
  await receiving.sweep();
  await page.getByRole('cell', { name: 'Delivered' }).waitFor();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Replay deliveries' }).click();
  await page.getByRole('button', { name: 'Start the replay' }).click();
  await page.getByText(/of 1 deliveries scheduled/).waitFor();
  await receiving.sweep();
  await page.getByText(/1 of 1 deliveries scheduled · Completed/).waitFor();

  await receiving.pool.query('update webhooks.subscriptions set enabled = false, disabled_at = now() where id = $1', [
    subscription.id,
  ]);
  await page.reload();
  await page.getByText(/Failures disabled it on/).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Enable', exact: true }).click();
  await page.getByText('The webhook is enabled.').waitFor();
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText('The test event is on its way.').waitFor();

  await page.goto(`/o/${slug}/webhooks/signature?surface=events`);
  const { headers, text } = receiving.receiver.calls.at(-1)!;
  await page.getByLabel('Headers').fill(JSON.stringify(headers));
  await page.getByLabel('Body').fill(` ${text}`);
  await page.getByLabel('Signing secret').fill(subscription.secret);
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await page.getByText('A correct receiver rejects it').first().waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByLabel('Body').fill(text);
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await page.getByText('A correct receiver accepts it').first().waitFor();
});

import { browserTest, dashboard } from './dashboard.ts';
import { openWebsite, type Website } from './widget-page.ts';

const visit = dashboard();
let site: Website | undefined;
afterAll(() => site?.close());

browserTest('a visitor asks in the widget, an operator takes over in the dashboard, and both read each other', async () => {
  site = await openWebsite();
  const shop = await site.seed({}, { modules: ['helpdesk'] });
  site.provider.on('lamp', (response) => response.text('It is a ').text('**brass** lamp.').finish());
  const { launcher, ask, messages, faults } = await site.open({ attributes: `data-agent="${shop.agent.publicSlug}"` });
  await launcher.click();
  await ask('What lamp is this?');
  await messages.getByText('It is a brass lamp.').waitFor();

  const operator = await visit(`/o/${shop.slug}/products`, { userId: shop.owner.id, system: site.gateway });
  await operator.getByRole('heading', { level: 1, name: 'Products' }).waitFor();
  await operator.getByRole('link', { name: 'Inbox' }).click();
  await operator.getByRole('link', { name: /^Visitor/ }).click();
  const log = operator.getByRole('log');
  await log.getByText('It is a brass lamp.').waitFor();
  await operator.getByRole('button', { name: 'Take over' }).click();
  await operator.getByLabel('Write to the visitor').fill('Shall I reserve one?');
  await operator.keyboard.press('Enter');
  await messages.getByText('Shall I reserve one?').waitFor();
  await ask('Yes please');
  await log.getByText('Yes please').waitFor();
  expect(faults).toEqual([]);
});

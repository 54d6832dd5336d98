import { seedAgent } from '../agent/chat/chatting.ts';
import { closeOffice, requestPerson } from '../agent/handoff/handing-off.ts';
import { openGateway } from '../support/gateway.ts';
import { browserTest, dashboard } from './dashboard.ts';

const gateway = await openGateway();
const visit = dashboard(gateway);
afterAll(() => gateway.stop());

browserTest('desktop alerts are quiet outside of office hours, unless the user wants them always', async () => {
  const shop = await seedAgent(gateway.url, {}, { modules: ['helpdesk'] });
  const page = await visit(`/o/${shop.slug}/inbox`, { userId: shop.owner.id });
  await page.evaluate(() => {
    const shown: string[] = [];
    class Shown {
      static permission = 'granted';
      static requestPermission = async () => 'granted';
      onclick: unknown;
      constructor(title: string, { body }: { body?: string }) {
        shown.push(`${title}: ${body}`);
      }
      close() {}
    }
    Object.assign(window, { Notification: Shown, shown });
  });
  const shown = () => page.evaluate(() => (window as unknown as { shown: string[] }).shown);
  const choose = async (name: string) => {
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitemcheckbox', { name, exact: true }).click();
    await page.keyboard.press('Escape');
  };
  await choose('Desktop notification');
  await page.getByText('No conversations yet').waitFor();

  await requestPerson(shop, { reason: 'By day' });
  await page.getByLabel('1 visitor waits').waitFor();
  expect(await shown()).toEqual(['1 visitor waits for you: By day']);
  await closeOffice(shop, 'Back soon.');
  await requestPerson(shop, { reason: 'By night' });
  await page.getByLabel('2 visitors wait').waitFor();
  expect(await shown()).toHaveLength(1);

  await choose('Also outside of office hours');
  await requestPerson(shop, { reason: 'Later' });
  await page.getByLabel('3 visitors wait').waitFor();
  expect(await shown()).toEqual(['1 visitor waits for you: By day', '3 visitors wait for you: Later']);
  await page.evaluate(() => localStorage.removeItem('call-alerts'));
});

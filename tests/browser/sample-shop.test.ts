import { startOfflineModel } from '../../start/offline-model/offline-model.ts';
import { buildPages } from '../../start/page-builds.ts';
import { Api } from '../../start/sample/sample-client.ts';
import { createSampleAgent } from '../../start/sample/seed.ts';
import { openGateway } from '../support/gateway.ts';
import { seedOrganization } from '../support/seed.ts';
import { PATIENCE } from '../support/until.ts';
import { hasBrowser, startBrowser } from './chromium.ts';
import { browserTest, locatorsOf } from './widget-page.ts';

/** The page of the sample shop and its agent, as `npm start` opens them, with the offline model. */
async function openSampleShop() {
  const offline = await startOfflineModel();
  await buildPages(() => {}, ['widget']);
  const { host } = new URL(offline.url);
  const gateway = await openGateway({ OPENAI_API_KEY: 'offline', OPENAI_BASE_URL: offline.url, OUTBOUND_ALLOW_HOSTS: host });
  const { key } = await seedOrganization({ modules: ['helpdesk'] });
  const api = new Api(gateway.url, key);
  const id = await createSampleAgent(api, offline);
  const { agent, identity, requests } = await api.run<{
    agent: { publicSlug: string };
    identity: { secret: string };
    requests: { secret: string };
  }>(
    `mutation ($id: ID!) {
      identity: rotateSigningSecret(agentId: $id, purpose: identity) { secret }
      requests: rotateSigningSecret(agentId: $id, purpose: requests) { secret }
      agent: updateAgent(id: $id, input: {}) { publicSlug }
    }`,
    { id },
  );
  offline.shop.open({
    url: gateway.url,
    publicSlug: agent.publicSlug,
    identitySecret: identity.secret,
    requestSecret: requests.secret,
  });
  const browser = await startBrowser();
  return {
    async visit(query: string) {
      const context = await browser.newContext({ locale: 'en-US' });
      context.setDefaultTimeout(PATIENCE);
      const page = await context.newPage();
      await page.goto(offline.shopUrl + query);
      const visit = { page, ...locatorsOf(page) };
      await visit.launcher.click();
      return visit;
    },
    shopUrl: offline.shopUrl,
    customers: offline.customers,
    orders: offline.orders,
    async close() {
      await browser.close();
      await gateway.stop();
      await offline.close();
    },
  };
}

const shop = hasBrowser ? await openSampleShop() : undefined;
afterAll(() => shop?.close());

browserTest('a customer of the sample shop sees the own orders, and cancels one by the card in the chat', async () => {
  const { page, panel, messages, ask } = await shop!.visit('?as=ada-1');
  await page.getByText('You are signed in as Ada Lovelace.').waitFor();
  await ask('Show the orders of my account');
  await messages.getByText('order: 1043, status: in preparation').waitFor();
  expect(await messages.getByText('1044').count()).toBe(0);
  await ask('Please cancel my order 1043');
  await messages.getByText('Cancel your order “1043”?').waitFor();
  await panel.getByRole('button', { name: 'Yes, do it' }).click();
  await messages.getByText('The tool answered: order: 1043, status: canceled.').waitFor();
  await page.reload();
  await page.getByText('Order 1043: canceled').waitFor();
});

browserTest('another customer cannot cancel the order, even with an approval', async () => {
  const { page, panel, messages, ask } = await shop!.visit('?as=alan-2');
  await ask('Please cancel my order 1042');
  await panel.getByRole('button', { name: 'Yes, do it' }).click();
  await messages.getByText('This customer has no such order.').waitFor();
  await page.goto(`${shop!.shopUrl}?as=ada-1`);
  await page.getByText('Order 1042: shipped').waitFor();
});

browserTest('a stranger is asked to sign in, and unsigned requests are refused', async () => {
  const { messages, ask, panel } = await shop!.visit('');
  await ask('Please cancel my order 1042');
  await messages.getByText('signed in on the website').waitFor();
  expect(await panel.getByRole('button', { name: 'Yes, do it' }).count()).toBe(0);
  const response = await fetch(`${shop!.customers}/ada-1/orders`, { headers: { 'x-svc-visitor': 'ada-1' } });
  expect(response.status).toBe(403);
  const odd = { 'x-svc-signature': `t=${Math.floor(Date.now() / 1_000)},v1=${'z'.repeat(64)}` };
  for (const headers of [{}, odd]) expect((await fetch(`${shop!.orders}/1042`, { headers })).status).toBe(403);
});

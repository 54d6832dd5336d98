import { duringTransaction } from '../support/rival.ts';
import { database } from '../support/seed.ts';
import { openIntegration } from './integration.ts';

const subscribed = { event: 'lead.created', targetUrl: 'https://hooks.example.com/leads' };
const ENABLE = 'mutation ($id: ID!) { enableEventSubscription(id: $id) { status failureCount } }';
const FAIL = 'update webhooks.subscriptions set enabled = false, disabled_at = now(), failure_count = 15 where id = $1';

async function open() {
  const integration = await openIntegration();
  const { id } = (await integration.post('/webhooks', subscribed)).body;
  await database().query('update webhooks.subscriptions set failure_count = 14 where id = $1', [id]);
  const state = async () =>
    (await database().query('select enabled, failure_count, disabled_at from webhooks.subscriptions where id = $1', [id])).rows[0];
  return { ...integration, id: id as string, state };
}

test('a subscription that a failure disables while it is enabled is active', async () => {
  const { graphql, id, state } = await open();
  const enabled = await duringTransaction(
    (rival) => rival.query(FAIL, [id]),
    () => graphql(ENABLE, { id }),
  );
  expect(enabled.enableEventSubscription).toEqual({ status: 'active', failureCount: 0 });
  expect(await state()).toMatchObject({ enabled: true, failure_count: 0 });
});

test('a subscription that a failure disables while its URL is subscribed again is active', async () => {
  const { post, id, state } = await open();
  const { body } = await duringTransaction(
    (rival) => rival.query(FAIL, [id]),
    () => post('/webhooks', subscribed),
  );
  expect(body).toMatchObject({ id, status: 'active', failureCount: 0 });
  expect(await state()).toMatchObject({ enabled: true, failure_count: 0 });
});

test('a webhook of a workspace that a user and a failure disable at the same time records no events', async () => {
  const { graphql } = await openIntegration();
  const { createWorkspace } = await graphql('mutation { createWorkspace(input: { name: "W", slug: "w" }) { id } }');
  const { createSiteWebhook } = await graphql('mutation ($input: NewSiteWebhook!) { createSiteWebhook(input: $input) { id } }', {
    input: { workspaceId: createWorkspace.id, name: 'Cache', url: 'https://hooks.example.com/', events: ['page.updated'] },
  });
  const { id } = createSiteWebhook;
  await duringTransaction(
    (rival) => rival.query(FAIL, [id]),
    () => graphql('mutation ($id: ID!) { updateSiteWebhook(id: $id, input: { enabled: false }) { id } }', { id }),
  );
  const { rows } = await database().query('select enabled, disabled_at from webhooks.subscriptions where id = $1', [id]);
  expect(rows).toEqual([{ enabled: false, disabled_at: null }]);
});

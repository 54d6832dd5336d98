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

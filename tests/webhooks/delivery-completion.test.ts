import { randomUUID } from 'node:crypto';
import { type ClaimedDelivery, dropOld } from '../../platform/webhooks/claim.ts';
import type { AttemptResult } from '../../platform/webhooks/delivery-attempt.ts';
import { completeDelivery } from '../../platform/webhooks/delivery-attempt.ts';
import { insertEvent } from '../support/event-sql.ts';
import { duringTransaction } from '../support/rival.ts';
import { database, seedOrganization } from '../support/seed.ts';

const failed: AttemptResult = { delivered: false, status: 500, snippet: null, error: 'it failed', durationMs: 1, retryAfter: null };
const URL_OF = 'https://hooks.example.com/in';

/** A subscription with deliveries that this process has leased. */
async function seedLeased(count: number): Promise<ClaimedDelivery[]> {
  const { id: organizationId } = await seedOrganization();
  const [subscriptionId, lease] = [randomUUID(), randomUUID()];
  await database().query(
    `insert into webhooks.subscriptions (id, organization_id, surface, url, events) values ($1, $2, 'integration', $3, '{lead.created}')`,
    [subscriptionId, organizationId, URL_OF],
  );
  const { rows } = await database().query(
    `with emitted as (${insertEvent('lead.created')})
     insert into webhooks.deliveries (id, organization_id, subscription_id, event, event_id, next_attempt_at, leased_by, leased_until)
     select gen_random_uuid(), $1, $2, 'lead.created', id, now() + interval '1 day', $3, now() + interval '1 minute'
       from emitted, generate_series(1, $4) returning id`,
    [organizationId, subscriptionId, lease, count],
  );
  const common = {
    lease,
    organizationId,
    subscriptionId,
    event: 'lead.created',
    body: '{}',
    trace: null,
    attempts: 0,
    losses: 0,
    isExhausted: false,
    method: 'post',
  };
  return rows.map(({ id }) => ({ ...common, id, surface: 'integration', url: URL_OF, secret: null, previousSecret: null }));
}

const remove = (id: string) => database().query('delete from webhooks.subscriptions where id = $1', [id]);
const countOf = async (id: string) =>
  (await database().query('select 1 from webhooks.subscriptions where id = $1', [id])).rows.length;

test('a subscription can be deleted while its attempts are recorded', async () => {
  for (let round = 0; round < 10; round += 1) {
    const leased = await seedLeased(8);
    const { subscriptionId } = leased[0]!;
    await Promise.all([...leased.map((delivery) => completeDelivery(database(), delivery, failed)), remove(subscriptionId)]);
    expect(await countOf(subscriptionId)).toBe(0);
  }
});

test.each([
  ['whose URL was changed', 'update webhooks.subscriptions set url = url || $2 where id = $1', '/new'],
  [
    'whose delivery another process sends',
    'update webhooks.deliveries set leased_by = $2::uuid where subscription_id = $1',
    randomUUID(),
  ],
])('410 Gone from the earlier receiver keeps a subscription %s', async (_, change, value) => {
  const [delivery] = await seedLeased(1);
  await database().query(change, [delivery!.subscriptionId, value]);
  await completeDelivery(database(), delivery!, { ...failed, status: 410 });
  expect(await countOf(delivery!.subscriptionId)).toBe(1);
});

test('410 Gone deletes the subscription', async () => {
  const [delivery] = await seedLeased(1);
  await completeDelivery(database(), delivery!, { ...failed, status: 410 });
  expect(await countOf(delivery!.subscriptionId)).toBe(0);
});

test('an old delivery that is replayed while it expires is kept', async () => {
  const [delivery] = await seedLeased(1);
  await database().query(
    `update webhooks.deliveries set created_at = now() - interval '31 days', status = 'failed', next_attempt_at = null where id = $1`,
    [delivery!.id],
  );
  await duringTransaction(
    (replay) =>
      replay.query(`update webhooks.deliveries set status = 'pending', next_attempt_at = now() where id = $1`, [delivery!.id]),
    () => dropOld(database()),
  );
  const { rows } = await database().query('select status from webhooks.deliveries where id = $1', [delivery!.id]);
  expect(rows).toEqual([{ status: 'pending' }]);
});

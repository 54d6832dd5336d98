import { randomUUID } from 'node:crypto';
import { sweepResponses } from '../../platform/idempotency/index.ts';
import { caller } from '../support/client.ts';
import { database, seedOrganization } from '../support/seed.ts';

test('the response to a request is deleted after a day', async () => {
  const { id, key, slug } = await seedOrganization();
  const create = (sku: string) =>
    caller(key).post(`/api/${slug}/products/create`, { sku, name: sku }, { 'idempotency-key': randomUUID() });
  await create('old');
  await database().query(
    `update identity.idempotency_keys set created_at = now() - interval '25 hours' where organization_id = $1`,
    [id],
  );
  await create('new');
  await sweepResponses(database());
  const { rows } = await database().query('select created_at from identity.idempotency_keys where organization_id = $1', [id]);
  expect(rows).toHaveLength(1);
  expect(rows[0].created_at.getTime()).toBeGreaterThan(Date.now() - 60_000);
});

import { caller } from '../support/client.ts';
import { seedOrganization } from '../support/seed.ts';

test('a product is created and read back', async () => {
  const { slug, key } = await seedOrganization();
  const { post } = caller(key);
  const created = await post(`/api/${slug}/products/create`, { sku: 'A', name: 'Anvil' });
  expect(created).toMatchObject({ status: 200, body: { success: true, data: { sku: 'A', name: 'Anvil', brand: null } } });
});

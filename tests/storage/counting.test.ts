import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { storageUse } from '../../platform/credits/index.ts';
import { type Database, openDatabase } from '../../platform/database/database.ts';
import { detached } from '../../platform/scope/index.ts';
import type { Services } from '../../platform/subgraph/services.ts';
import { tables } from '../../start/subgraphs.ts';
import { ATTRIBUTE_BYTES } from '../../subgraphs/catalog/migrations/baseline/attributes.ts';
import { PRODUCT_BYTES } from '../../subgraphs/catalog/migrations/baseline/products.ts';
import { createDatabase } from '../support/database.ts';
import { seedOrganization } from '../support/seed.ts';

const created = await createDatabase();
const database: Database = await openDatabase(created.url, tables, { connections: 4 });
const pool = new pg.Pool({ connectionString: created.url, max: 24 });
// A test may terminate connections; the pool opens new ones.
pool.on('error', () => {});
afterAll(async () => {
  await pool.end();
  await database.close();
  await created.drop();
});

const seed = async () => (await seedOrganization({ databaseUrl: created.url })).id;

const INSERT = `insert into catalog.products (id, organization_id, sku, name, user_provided_raw_data_sources, attributes)
  values ($1::uuid, $2, $1::text, 'Lamp', array[repeat('x', $3::int)], jsonb_build_object('color', repeat('r', $3::int)))`;

const bytesOf = async (id: string): Promise<Record<string, number>> => {
  const { rows } = await pool.query(
    `select list, sum(bytes)::float8 as bytes from identity.stored_bytes where organization_id = $1 group by 1 order by 1`,
    [id],
  );
  return Object.fromEntries(rows.map(({ list, bytes }) => [list, bytes]));
};

const SIZES = { 'catalog.products': PRODUCT_BYTES, 'catalog.attributes': ATTRIBUTE_BYTES };

/** The bytes of the rows of an organization, without the counts. */
async function sizeOf(id: string, table: keyof typeof SIZES): Promise<number> {
  const { rows } = await pool.query(
    `select coalesce(sum(${SIZES[table]}), 0)::float8 as bytes from ${table} r where organization_id = $1`,
    [id],
  );
  return rows[0].bytes;
}

test('the bytes of an organization are those of its rows, however they change and however PostgreSQL stores them', async () => {
  const id = await seed();
  // Short values, values that are compressed, and values in a table of their own.
  const ids = await Promise.all(
    [10, 5_000, 400_000].map(async (length) => {
      const productId = randomUUID();
      await pool.query(INSERT, [productId, id, length]);
      return productId;
    }),
  );
  await pool.query(`update catalog.products set name = 'Lamps' where organization_id = $1`, [id]);
  await pool.query(
    `update catalog.products set attributes = attributes || jsonb_build_object('k', repeat('y', 90000)) where id = $1`,
    [ids[0]],
  );
  await pool.query(`update catalog.products set attributes = '{}' where id = $1`, [ids[1]]);
  await pool.query('delete from catalog.products where id = $1', [ids[2]]);
  const counted = await bytesOf(id);
  expect(counted).toEqual({ 'catalog.products': await sizeOf(id, 'catalog.products') });
  expect(counted['catalog.products']).toBeGreaterThan(95_000);
  await pool.query('delete from catalog.products where organization_id = $1', [id]);
  expect(await bytesOf(id)).toEqual({ 'catalog.products': 0 });
});

/** Unlike products, attributes have no counters for which writers wait. */
const ATTRIBUTE = `insert into catalog.attributes (id, organization_id, name, slug, type, subject, prompt, is_active)
  values ($1::uuid, $2, 'Color', $1::text, 'text', 'product', repeat('x', $3::int), true)`;

test('concurrent writers of an organization neither wait for each other nor lose a count', async () => {
  const id = await seed();
  const holder = await pool.connect();
  await holder.query('begin');
  await holder.query(ATTRIBUTE, [randomUUID(), id, 10]);
  // The first transaction stays open while twenty others write and end.
  await Promise.all(
    Array.from({ length: 20 }, async (_, nth) => {
      const writer = await pool.connect();
      await writer.query(`set statement_timeout = '20s'`);
      const own: string[] = [];
      for (let round = 0; round < 5; round += 1) {
        await writer.query('begin');
        own.push(randomUUID());
        await writer.query(ATTRIBUTE, [own.at(-1), id, 100 * nth]);
        await writer.query(`update catalog.attributes set prompt = 'Which color?' where id = $1`, [own[0]]);
        if (round % 2 === 1) await writer.query('delete from catalog.attributes where id = $1', [own.shift()]);
        await writer.query(round === 3 ? 'rollback' : 'commit');
      }
      writer.release();
    }),
  );
  await holder.query('commit');
  holder.release();
  expect(await bytesOf(id)).toEqual({ 'catalog.attributes': await sizeOf(id, 'catalog.attributes') });
});

test('the deletion of an organization deletes its counts', async () => {
  const id = await seed();
  await pool.query(INSERT, [randomUUID(), id, 100]);
  await pool.query('delete from identity.organizations where id = $1', [id]);
  expect(await bytesOf(id)).toEqual({});
});

test('every counted table has its kind, and organizations are counted apart', async () => {
  const [id, other] = [await seed(), await seed()];
  const { rows } = await pool.query(
    `select tgrelid::regclass::text as "table" from pg_trigger where tgname = 'bytes_added' order by 1`,
  );
  const counted: string[] = rows.map(({ table }) => table);
  expect(counted).toHaveLength(54);
  for (const each of counted)
    await pool.query('insert into identity.stored_bytes (organization_id, list, bytes) values ($1, $2, 1)', [id, each]);
  const useOf = (organizationId: string) =>
    storageUse(detached({ organizationId, services: { orm: database.orm } as unknown as Services }));
  const { kinds, bytes, limit } = await useOf(id);
  const content = counted.filter((each) => each.startsWith('site_content.')).length;
  expect(kinds).toContainEqual({ kind: 'content', bytes: content });
  expect(kinds).toContainEqual({ kind: 'requests', bytes: 1 });
  // Deleted products take no room.
  expect([bytes, limit]).toEqual([counted.length - 1, 50_000_000_000]);
  expect((await useOf(other)).bytes).toBe(0);
});

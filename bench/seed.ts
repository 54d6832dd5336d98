import type { Pool } from 'pg';
import { migrate, openDatabase } from '../platform/database/database.ts';
import { bootstrapKey } from '../platform/identity/bootstrap.ts';
import { openServices } from '../platform/subgraph/services.ts';
import { tables } from '../start/subgraphs.ts';
import { attributes, SOURCE } from './fixtures.ts';

export interface Organization {
  id: string;
  slug: string;
  products: number;
}

/** Create organizations of these sizes with one owner, and a key for all of them. */
export async function seed(databaseUrl: string, pool: Pool, sizes: Record<string, number>) {
  const database = await openDatabase(databaseUrl, tables, { connections: 2 });
  await migrate(database);
  const services = await openServices(database, { requireCredits: true, rateLimitPerMinute: 120 });
  const organizations: Record<string, Organization> = {};
  let key = '';
  for (const [slug, products] of Object.entries(sizes)) {
    const made = await bootstrapKey(services, {
      organization: slug,
      email: 'bench@example.com',
      role: 'owner',
      plan: 'growth',
      credits: 1e6,
    });
    key = made.key;
    organizations[slug] = { id: made.organization.id, slug, products };
  }
  await services.close();
  for (const { id, products } of Object.values(organizations)) {
    await pool.query(PRODUCTS, [id, products, SOURCE]);
    await pool.query(ATTRIBUTES, [id, JSON.stringify(attributes)]);
    await pool.query(JOBS, [id, products / 10]);
    await pool.query(FILES, [id, products / 10]);
  }
  await pool.query('vacuum analyze');
  return { organizations, key };
}

/** One in ten products is a parent with three variants; a third of all products is enriched. Triggers update the counts. */
const PRODUCTS = `
  with made as materialized (select n, uuidv7() as id from generate_series(0, $2::int - 1) as n),
       named as (
         select *, (array['Cordless drill','Bench lamp','Oak chair','Garden bench','Stock pot','Desk lamp','Parasol','Wall shelf'])[n % 8 + 1] as thing,
                (array['Norrvik','Fennel & Oak','Lumen','Torvik','Nordstien'])[n % 5 + 1] as maker from made)
  insert into catalog.products (id, organization_id, sku, name, manufacturer, mpn, uom, brand, category, external_id, parent_id, is_parent, enriched,
                                user_provided_raw_data_sources, attributes, created_at, updated_at)
  select id, $1, 'SKU-' || lpad(n::text, 6, '0'), maker || ' ' || thing || ' ' || n, maker || ' AB', 'MPN-' || n, 'piece', maker,
         'Home > ' || thing, 'erp-' || n, case when n % 10 between 1 and 3 then first_value(id) over (partition by n / 10 order by n) end,
         n % 10 = 0, n % 3 = 0, array[$3::text],
         case when n % 10000 = 5 then '{}' else jsonb_build_object('color', jsonb_build_object('attributeName', 'Color', 'attributeType', 'text', 'value', 'red')) end,
         date_trunc('second', now()) - ($2::int - n) * interval '61 seconds', date_trunc('second', now())
    from named order by n`;

/** Ended jobs of all kinds. */
const JOBS = `
  insert into catalog.jobs (id, organization_id, kind, status, model_type, total_count, created_by_id, created_at)
  select uuidv7(), $1, (array['product-enrichment','product-validation','product-market-analysis','brand-enrichment'])[n % 4 + 1],
         (array['completed','completed_with_errors','stopped'])[n % 3 + 1], 'budget-v1', 10,
         (select user_id from identity.memberships where organization_id = $1 limit 1), now() - n * interval '1 minute'
    from generate_series(1, $2::int) n`;

const FILES = `
  insert into catalog.files (organization_id, name, mime, bytes, ready, created_by_id, created_at)
  select $1, 'list-' || n || '.csv', 'text/csv', 1000, true,
         (select user_id from identity.memberships where organization_id = $1 limit 1), now() - n * interval '1 minute'
    from generate_series(1, $2::int) n`;

const ATTRIBUTES = `
  insert into catalog.attributes (id, organization_id, subject, name, slug, type, options, unit)
  select gen_random_uuid(), $1, subject, name, slug, type, options, unit
    from jsonb_to_recordset($2) as given (name text, slug text, type text, options text[], unit text),
         unnest(array['product', 'brand', 'category']) as subject`;

import type { Pool, PoolClient } from 'pg';
import { foldSlots } from '../../subgraphs/catalog/stats/service.ts';
import type { Note } from '../system.ts';

/** Tables whose indexes are built after the rows, which takes a fraction of the time. */
const TABLES = [
  ...['products', 'jobs', 'job_items', 'proposals', 'enrichment_history', 'validation_history', 'files'].map(
    (name) => `catalog.${name}`,
  ),
  'webhooks.deliveries',
  'identity.credit_entries',
];

/** Ids in the order of `n`, so that other rows can name them. */
const id = (prefix: string, n: string) =>
  `('${prefix}' || substr(lpad(to_hex((${n})::bigint), 8, '0'), 1, 4) || '-' || substr(lpad(to_hex((${n})::bigint), 8, '0'), 5) ||
    '-7000-8000-' || right($1::uuid::text, 12))::uuid`;
const product = (n: string) => id('0190', n);
const job = (n: string) => id('0191', n);
const item = (n: string) => id('0192', n);
const SERIES = 'generate_series(0, $2::int - 1) n';
/** One in five of the products has a row. */
const FIFTH = 'generate_series(0, $2::int - 1, 5) n';
const creator = '(select user_id from identity.memberships where organization_id = $1::uuid limit 1)';
const time = `date_trunc('second', now()) - ($2::int - n) * interval '31 seconds'`;

const words = (list: string[], n: string) => `(array['${list.join("','")}'])[(${n}) % ${list.length} + 1]`;
const THINGS = ['Cordless drill', 'Bench lamp', 'Oak chair', 'Garden bench', 'Stock pot', 'Desk lamp', 'Parasol', 'Wall shelf'];
const MAKERS = ['Norrvik', 'Fennel & Oak', 'Lumen', 'Torvik', 'Nordstien'];
const KINDS = [
  'matte',
  'folding',
  'compact',
  'professional',
  'outdoor',
  'classic',
  'heavy duty',
  'stackable',
  'slim',
  'premium',
  'small',
];
const USES = [
  'for the workshop',
  'for the kitchen',
  'for the garden',
  'with 2 years of warranty',
  'for rooms of 20 m²',
  '',
  'in a gift box',
];

/** Attributes that a job finds for some products, so that few products of a category have the same ones. */
const FOUND = ['width', 'height', 'depth', 'power', 'voltage', 'finish', 'style', 'series'];

const ROWS: Record<string, string> = {
  products: `
    insert into catalog.products (id, organization_id, sku, name, manufacturer, mpn, uom, brand, category, external_id, parent_id, is_parent, enriched,
                                  attributes, provenance, created_at, updated_at)
    select ${product('n')}, $1::uuid, 'SKU-' || lpad(n::text, 7, '0'),
           maker || ' ' || thing || ' ' || ${words(KINDS, 'n / 7')} || ' ' || ${words(USES, 'n / 3')} || ' ' || n % 5000, case when n % 4 > 0 then maker || ' AB' end,
           'MPN-' || n, 'piece', case when n % 20 > 0 then maker end, 'Home > ' || thing || ' > ' || n % 50, 'erp-' || n,
           case when n % 10 between 1 and 3 then ${product('n - n % 10')} end, n % 10 = 0, n % 3 = 0,
           case when n % 10000 = 5 then '{}' else jsonb_build_object('color', jsonb_build_object('attributeName', 'Color', 'attributeType', 'text',
             'value', case when n = 77 then 'ultraviolet' else ${words(['red', 'blue', 'green', 'black'], 'n')} end))
             || case when n % 3 = 0 then '{}'::jsonb else '{"room": {"attributeName": "Room", "attributeType": "text", "value": "Hall"}}' end || (
             select coalesce(jsonb_object_agg(slug, '{"attributeName": "A", "attributeType": "text", "value": "x"}'::jsonb), '{}')
               from unnest('{${FOUND.join()}}'::text[]) with ordinality f (slug, at) where hashint8(n * 16 + at) % 10 < 7) end,
           jsonb_build_object('color', jsonb_build_object('confidence', 40 + n % 60)), ${time}, ${time}
      from (select n, ${words(THINGS, 'n')} as thing, ${words(MAKERS, 'n')} as maker from ${SERIES}) s`,
  jobs: `
    insert into catalog.jobs (id, organization_id, kind, status, model_type, total_count, created_by_id, created_at)
    select ${job('n')}, $1::uuid, ${words(['product-enrichment', 'product-validation', 'product-market-analysis', 'brand-enrichment'], 'n')},
           ${words(['completed', 'completed_with_errors', 'stopped'], 'n')}, 'budget-v1', least(5000, $2::int), ${creator}, ${time} from ${FIFTH}`,
  'job items': `
    insert into catalog.job_items (id, organization_id, job_id, ordinal, turn, product_id, status, created_at)
    select ${item('n')}, $1::uuid, ${job('n / 5000 * 5')}, n % 5000, n % 5000, ${product('n')}, 'completed', ${time} from ${SERIES}`,
  proposals: `
    insert into catalog.proposals (item_id, slug, organization_id, job_id, product_id, confidence, proposed, category_key)
    select ${item('n')}, ${words(['color', 'weight'], 'n')}, $1::uuid, ${job('n / 5000 * 5')}, ${product('n')}, n % 1000 / 10.0,
           '{"attributeName": "Color", "attributeType": "text", "value": "red"}', catalog.name_key('Home > ' || ${words(THINGS, 'n')} || ' > ' || n % 50)
      from ${FIFTH}`,
  'enrichment history': `
    insert into catalog.enrichment_history (id, organization_id, product_id, job_item_id, enriched_at, attributes)
    select ${id('0193', 'n')}, $1::uuid, ${product('n')}, ${item('n')}, ${time}, '{}' from ${SERIES}`,
  'validation history': `
    insert into catalog.validation_history (id, organization_id, product_id, validated_at, overall_score)
    select ${id('0194', 'n')}, $1::uuid, ${product('n')}, ${time}, 90 from ${FIFTH}`,
  files: `
    insert into catalog.files (id, organization_id, name, mime, bytes, ready, created_by_id, created_at)
    select ${id('0195', 'n')}, $1::uuid, 'list-' || n || '.csv', 'text/csv', 1000, true, ${creator}, ${time} from ${FIFTH}`,
  webhook: `
    insert into webhooks.subscriptions (id, organization_id, surface, url, events)
    select ${id('0196', '1')}, $1::uuid, 'catalog', 'https://hooks.example.com/', '{ai_import.start}' where $2::int > 0`,
  events: `
    insert into webhooks.events (id, organization_id, event, occurred_at, payload)
    select ${id('0199', 'n')}, $1::uuid, 'ai_import.start', ${time}, '{}' from ${SERIES}`,
  deliveries: `
    insert into webhooks.deliveries (id, organization_id, subscription_id, event, event_id, status, attempts, created_at)
    select ${id('0197', 'n')}, $1::uuid, ${id('0196', '1')}, 'ai_import.start', ${id('0199', 'n')}, case when n % 100 = 0 then 'failed' else 'delivered' end, 1, ${time} from ${SERIES}`,
  'credit entries': `
    insert into identity.credit_entries (id, organization_id, amount, reason, reference, created_at)
    select ${id('0198', 'n')}, $1::uuid, -1, 'product-enrichment item', 'item:' || ${item('n')}, ${time} from ${SERIES}`,
  'product counts': `
    insert into catalog.product_counts (organization_id, is_parent, enriched, count)
    select organization_id, is_parent, enriched, count(*) from catalog.products where organization_id = $1::uuid and $2::int > 0 group by 1, 2, 3`,
  attributes: `
    insert into catalog.attributes (id, organization_id, name, slug, type)
    select gen_random_uuid(), $1::uuid, name, lower(name), 'text' from unnest('{Color,Room,Weight,${FOUND.join()}}'::text[]) name where $2::int > 0
    on conflict do nothing`,
  'filled groups': `
    insert into catalog.filled_groups (organization_id, category, shape, slot, slugs, count)
    select organization_id, catalog.category_of(category), shape, 1, min(catalog.filled(attributes)), count(*) from catalog.products
     where organization_id = $1::uuid and $2::int > 0 group by 1, 2, 3`,
  'days of completeness': `
    insert into catalog.completeness_days (organization_id, day, products, filled, expected, filled_required, expected_required)
    select $1::uuid, now()::date - n, $2::int, $2::int, 3 * $2::int, 0, 0 from generate_series(1, 400) n`,
  changes: `
    insert into catalog.changes (record_id, organization_id, subject, number, deleted, at)
    select ${product('n')}, $1::uuid, 'product', $2::int + n + 1, n % 50 = 0, ${time} from ${SERIES}`,
  // Those of an earlier catalog, which this one replaced.
  deletions: `
    insert into catalog.changes (record_id, organization_id, subject, number, deleted, at)
    select ${id('019a', 'n')}, $1::uuid, 'product', n + 1, true, ${time} from ${SERIES}`,
  'change counters': `insert into catalog.change_counters (organization_id, last) select $1::uuid, 2 * $2::int`,
  labels: `
    insert into catalog.labels (organization_id, subject, key, parent_key, name, product_count, total_count)
    select organization_id, subject, catalog.name_key(n.name), catalog.parent_key(subject, n.name), n.name, sum(n.own), count(*)
      from catalog.products cross join lateral (values ('brand', brand), ('category', category)) l (subject, name)
      cross join lateral (select l.name, 1 as own union all select a, 0 from catalog.names_above(l.name) a where subject = 'category') n
     where organization_id = $1::uuid and l.name is not null and $2::int > 0 group by 1, 2, 5`,
  counters: `
    insert into catalog.counters (organization_id, kind, key, slot, count, sum)
    select $1::uuid, 'value', 'color', 0, $2::int - $2::int / 10000, 0
    union all select $1::uuid, 'confidence', 'color', 0, $2::int, $2::int * 69
    union all select organization_id, 'job', kind || ' ' || status, 0, count(*), 0 from catalog.jobs where organization_id = $1::uuid group by 1, 3
    union all select organization_id, 'review', slug, 0, count(*), 0 from catalog.proposals where organization_id = $1::uuid group by 1, 3`,
  sizes: `insert into identity.row_counts (organization_id, list, key, slot, count) select $1::uuid, 'credit_entries', '{}', 0, $2::int
    on conflict on constraint row_counts_pkey do update set count = excluded.count`,
};

/** Fills a large and a small organization of the same database with rows of each list, without triggers. */
export async function seedGrowth(pool: Pool, sizes: [organizationId: string, count: number][], note: Note): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query(`set session_replication_role = replica; set maintenance_work_mem = '1GB'; set synchronous_commit = off`);
    const definitions = await dropIndexes(client);
    for (const [name, statement] of Object.entries(ROWS)) {
      note(`inserting ${name}`);
      for (const [organizationId, count] of sizes) await client.query(statement, [organizationId, count]);
    }
    for (const { name, definition } of definitions) {
      note(`building ${name}`);
      await client.query(definition);
    }
    note('adding counts up');
    await foldSlots(pool);
    note('analyzing');
    await client.query('vacuum analyze');
  } finally {
    client.release(true);
  }
}

async function dropIndexes(client: PoolClient): Promise<{ name: string; definition: string }[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index i
      where indrelid = any($1::text[]::regclass[]) and not exists (select 1 from pg_constraint where conindid = i.indexrelid)`,
    [TABLES],
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  return rows;
}

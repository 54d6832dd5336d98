/** A prepared statement, prepared once per connection. */
export interface Statement {
  name: string;
  text: string;
}

const taken = (returning: string) => `update catalog.job_items set status = 'processing', started_at = now()
         where id = $1 and organization_id = $2 and status = 'pending' returning ${returning}`;

export const takeProduct: Statement = {
  name: 'take product',
  text: `with taken as (${taken('product_id')})
         select p.id, p.attributes, p.user_provided_raw_data_sources as sources,
                jsonb_build_object('name', p.name, 'sku', p.sku, 'brand', p.brand, 'category', p.category, 'manufacturer', p.manufacturer, 'mpn', p.mpn) as about
           from catalog.products p join taken on taken.product_id = p.id`,
};

export const takePage: Statement = {
  name: 'take page',
  text: `with taken as (${taken('file_id, file_page')})
         select f.name, p.content from catalog.file_pages p join catalog.files f on f.id = p.file_id
           join taken on taken.file_id = p.file_id and taken.file_page = p.place`,
};

/** Also returns the linked products and the latest values. */
export const takeLabel = (column: 'brand' | 'category'): Statement => ({
  name: `take ${column}`,
  text: `with taken as (${taken('label')})
         select label,
                (select enriched_data from catalog.job_items i where i.organization_id = $2 and i.subject = '${column}' and i.label is not null
                    and catalog.name_key(i.label) = catalog.name_key(taken.label) and i.status = 'completed'
                  order by coalesce(i.completed_at, i.created_at) desc, i.id desc limit 1) as latest,
                (select json_agg(p) from (
                   select id, name, sku, manufacturer, brand, category, attributes, user_provided_raw_data_sources as sources from catalog.products
                    where organization_id = $2 and ${column} is not null and catalog.name_key(${column}) = catalog.name_key(taken.label)
                    order by id limit 10) p) as products
           from taken`,
});

export const charge: Statement = { name: 'charge', text: `select identity.move_credits($1, $2, $3, 'bench item', $4, true)` };

/** Additional columns of a completed item. */
const complete = (name: string, result = ''): Statement => ({
  name,
  text: `update catalog.job_items set status = 'completed', completed_at = now(), error_message = null, cost = 1${result}
          where id = $1 and organization_id = $2 and status in ('pending', 'processing')`,
});

export const completePage = complete('complete page');
export const completeValues = complete('complete values', ', enriched_data = $3::jsonb, provenance = $4::jsonb');
export const completeLabel = complete(
  'complete label',
  ', enriched_data = $3::jsonb, provenance = $4::jsonb, reference_data = $5::jsonb',
);
export const completeVerdicts = complete('complete verdicts', ', validation_results = $3::jsonb, overall_score = $4');
export const completeOffers = complete('complete offers', ', results = $3::jsonb');

export const propose: Statement = {
  name: 'propose',
  text: `insert into catalog.proposals (item_id, slug, organization_id, job_id, product_id, confidence, proposed, base, base_provenance)
         select $1, key, p.organization_id, $3, p.id, coalesce(($6::jsonb -> key ->> 'confidence')::float8, 0), value, p.attributes -> key, p.provenance -> key
           from catalog.products p, jsonb_each($5::jsonb) where p.id = $4 and p.organization_id = $2 for update of p`,
};

export const keepTexts: Statement = {
  name: 'keep texts',
  text: `insert into catalog.source_texts (organization_id, hash, text)
         select distinct on (hash) $1::uuid, hash, text from jsonb_to_recordset($2::jsonb) as read (hash text, text text) order by hash
         on conflict do nothing`,
};

export const keepSources: Statement = {
  name: 'keep sources',
  text: `insert into catalog.item_sources (item_id, place, organization_id, job_id, product_id, kind, hash)
         select $1, row_number() over (), $2, $3, $4, kind, hash from jsonb_to_recordset($5::jsonb) as read (kind text, hash text)`,
};

export const merge: Statement = {
  name: 'merge',
  text: `update catalog.products set attributes = attributes || $3::jsonb, provenance = provenance || $4::jsonb, enriched = true, updated_at = now()
          where id = $1 and organization_id = $2`,
};

export const enrichmentHistory: Statement = {
  name: 'enrichment history',
  text: `insert into catalog.enrichment_history (id, organization_id, product_id, job_item_id, attributes, provenance)
         values (gen_random_uuid(), $1, $2, $3, $4::jsonb, $5::jsonb)`,
};

export const validationHistory: Statement = {
  name: 'validation history',
  text: `insert into catalog.validation_history (id, organization_id, product_id, job_item_id, overall_score)
         values (gen_random_uuid(), $1, $2, $3, $4)`,
};

export const keepLabel = (table: 'brands' | 'categories'): Statement => ({
  name: `keep ${table}`,
  text: `insert into catalog.${table} (id, organization_id, name, slug) values (gen_random_uuid(), $1, $2, $3) on conflict do nothing`,
});

export const keepProducts: Statement = {
  name: 'keep products',
  text: `with added as (
           insert into catalog.import_items (organization_id, job_id, type, match_key, name, sku, data)
           select $2::uuid, $1::uuid, 'standalone', 'sku ' || lower(sku), name, sku, data
             from jsonb_to_recordset($3::jsonb) as found (name text, sku text, data jsonb) order by 4
           on conflict (job_id, match_key) do nothing returning 1)
         update catalog.jobs set total_extracted = coalesce(total_extracted, 0) + (select count(*)::int from added) where id = $1`,
};

export const count: Statement = {
  name: 'count',
  text: `with counted as (update catalog.jobs set processed_count = processed_count + 1, success_count = success_count + 1, sequence = sequence + 1
                           where id = $1 returning *)
         insert into catalog.job_changes (job_id, sequence, status, processed_count, success_count, failed_count, item_ids)
         select id, sequence, status, processed_count, success_count, failed_count, array[$2::uuid] from counted`,
};

export const attributes = `select id, slug, name, type, prompt, category_prompt as "categoryPrompt", options, unit, constraints
                             from catalog.attributes where organization_id = $1 and subject = $2 order by created_at, id`;

/** A fictional kind, because some kinds allow only one job at a time. */
export const job = `insert into catalog.jobs (id, organization_id, kind, status, model_type, websearch, total_count, created_by_id, started_at)
                    values ($1, $2, 'plain loop', 'processing', 'budget-v1', false, 0, $1, now())`;

const items = (columns: string, from: string) => `
  insert into catalog.job_items (id, organization_id, job_id, ordinal, turn, ${columns})
  select gen_random_uuid(), $2, $1, n - 1, n - 1, ${columns} from ${from} returning id`;

export const productItems = items('product_id', 'unnest($3::uuid[]) with ordinality as given (product_id, n)');
export const labelItems = (subject: 'brand' | 'category') =>
  items(
    'subject, label',
    `(select '${subject}' as subject, * from unnest($3::text[]) with ordinality as given (label, n)) as given`,
  );
export const pageItems = items(
  'file_id, file_page',
  '(select file_id, place as file_page, row_number() over (order by file_id, place) as n from catalog.file_pages where file_id = any($3::uuid[])) as pages',
);

export const finish = `update catalog.jobs set status = 'completed', completed_at = now() where id = $1 returning success_count as done`;

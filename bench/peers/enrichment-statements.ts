/** A statement that is prepared once per connection. */
export interface Statement {
  name: string;
  text: string;
}

export const take: Statement = {
  name: 'take',
  text: `with taken as (update catalog.job_items set status = 'processing', started_at = now()
                         where id = $1 and organization_id = $2 and status = 'pending' returning product_id)
         select p.id, p.name, p.sku, p.brand, p.category, p.manufacturer, p.mpn, p.user_provided_raw_data_sources as sources
           from catalog.products p join taken on taken.product_id = p.id`,
};

export const charge: Statement = {
  name: 'charge',
  text: `select identity.move_credits($1, $2, $3, 'product-enrichment item', $4, true)`,
};

export const complete: Statement = {
  name: 'complete',
  text: `update catalog.job_items set status = 'completed', completed_at = now(), error_message = null, cost = 1,
                enriched_data = $3::jsonb, provenance = $4::jsonb
          where id = $1 and organization_id = $2 and status in ('pending', 'processing')`,
};

export const merge: Statement = {
  name: 'merge',
  text: `update catalog.products set attributes = attributes || $3::jsonb, provenance = provenance || $4::jsonb, enriched = true, updated_at = now()
          where id = $1 and organization_id = $2`,
};

export const history: Statement = {
  name: 'history',
  text: `insert into catalog.enrichment_history (id, organization_id, product_id, job_item_id, attributes, provenance)
         values (gen_random_uuid(), $1, $2, $3, $4::jsonb, $5::jsonb)`,
};

export const count: Statement = {
  name: 'count',
  text: `with counted as (update catalog.jobs set processed_count = processed_count + 1, success_count = success_count + 1, sequence = sequence + 1
                           where id = $1 returning *)
         insert into catalog.job_changes (job_id, sequence, status, processed_count, success_count, failed_count, item_ids)
         select id, sequence, status, processed_count, success_count, failed_count, array[$2::uuid] from counted`,
};

export const attributes = `select id, slug, name, type, prompt, category_prompt as "categoryPrompt", options, unit, constraints
                             from catalog.attributes where organization_id = $1 order by created_at, id`;

export const job = `insert into catalog.jobs (id, organization_id, kind, status, model_type, websearch, total_count, created_by_id, started_at)
                    values ($1, $2, 'product-enrichment', 'processing', 'budget-v1', false, $3, $1, now())`;

export const items = `insert into catalog.job_items (id, organization_id, job_id, ordinal, turn, product_id)
                      select gen_random_uuid(), $2, $1, n - 1, n - 1, id from unnest($3::uuid[]) with ordinality as given (id, n) returning id`;

export const finish = `update catalog.jobs set status = 'completed', completed_at = now() where id = $1 returning success_count as done`;

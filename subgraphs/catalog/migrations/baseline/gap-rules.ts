import { byteCountTriggers, jsonBytes, OWNED, textBytes } from '../../../../platform/database/index.ts';

/** The rules that fill gaps by themselves. */
export const gapRules = `
create table catalog.gap_rules (
  ${OWNED},
  name text not null,
  -- The products and attributes, and the options of the jobs.
  selection jsonb not null,
  attribute_set_id uuid, attribute_ids uuid[],
  model_type text not null,
  websearch boolean not null, agreement boolean not null,
  auto_accept double precision,
  max_credits numeric(16,4) not null,
  triggers text[] not null,
  paused boolean not null default false, halted_by text,
  created_by_id uuid not null,
  created_at timestamptz not null default now(),
  -- The check of all products continues after this product while it is under way.
  is_scanning boolean not null default true, scanned_at timestamptz, scanned_id uuid,
  -- The state of earlier checks: the day of the last full one, its attributes, and the last change.
  scanned_day date, attributes_hash text, changes_after bigint not null default 0,
  -- The last job that a person stopped or that failed, which the rule has shown.
  shown_job_id uuid,
  checked_at timestamptz
);
create unique index gap_rules_by_name on catalog.gap_rules (organization_id, lower(name));
-- The rules that work, those first that were not checked for the longest time.
create index gap_rules_active on catalog.gap_rules (checked_at nulls first, id) where not paused;
${byteCountTriggers({ table: 'catalog.gap_rules', bytes: `500 + ${textBytes('name')} + ${jsonBytes('selection')} + coalesce(cardinality(r.attribute_ids), 0) * 16`, updates: 'true' })}
-- The memory of its checks is no change.
create trigger audit after insert or update or delete on catalog.gap_rules
  for each row execute function identity.audit('gap_rule', 'id', 'organization_id', 'is_scanning', 'scanned_at', 'scanned_id', 'scanned_day',
    'attributes_hash', 'changes_after', 'shown_job_id', 'checked_at', 'halted_by');

-- A hash of the fields and sources that a model reads of a product. For a parent, also of the shapes of its variants.
create function catalog.gap_inputs(product uuid) returns bigint language sql stable parallel safe as $$
  select hashtextextended(jsonb_build_array(p.sku, p.name, p.manufacturer, p.mpn, p.brand, p.category, p.user_provided_raw_data_sources,
    case when p.is_parent then (select jsonb_agg(v.shape order by v.id) from catalog.products v where v.parent_id = p.id) end)::text, 0)
    from catalog.products p where p.id = product
$$;
`;

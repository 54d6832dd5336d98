import { byteCountTriggers, jsonBytes, OF_ORGANIZATION, OWNED } from '../../../../platform/database/index.ts';

/** The values that jobs propose until a person decides, and what is learned from the decisions. */
export const review = `
create table catalog.proposals (
  item_id uuid not null references catalog.job_items on delete cascade deferrable initially deferred,
  slug text not null,
  organization_id uuid not null,
  job_id uuid not null,
  product_id uuid not null,
  -- The category of the product when the job wrote the value.
  category_key uuid,
  confidence double precision not null,
  -- The tier of the job, and the score by which rules accept the value.
  tier text not null default 'budget-v1', score smallint not null default 0,
  proposed jsonb not null,
  -- The value that it replaced.
  base jsonb, base_provenance jsonb,
  verdict text, reviewed_by_id uuid, reviewed_at timestamptz,
  -- The rule that accepted the value, and the rule that would have accepted it, if the value is a sample for its audit.
  rule_id uuid, audit_rule_id uuid,
  primary key (item_id, slug)
);
-- The queue, the least certain values first: of a job, of the organization, of an attribute, or of a category.
create index proposals_queue on catalog.proposals (job_id, confidence, item_id, slug) where verdict is null;
create index proposals_open on catalog.proposals (organization_id, confidence, item_id, slug) where verdict is null;
create index proposals_of_attribute on catalog.proposals (organization_id, slug, confidence, item_id) where verdict is null;
create index proposals_of_category on catalog.proposals (organization_id, category_key, confidence, item_id, slug)
  where verdict is null and category_key is not null;
-- The open values of an attribute and tier by score, from a threshold in both directions.
create index proposals_by_score on catalog.proposals (organization_id, tier, slug, score, item_id) where verdict is null;
-- The values that a rule accepted, newest first.
create index proposals_of_rule on catalog.proposals (organization_id, rule_id, reviewed_at) where rule_id is not null;
-- The audited values of a rule that nobody has decided.
create index proposals_of_audit on catalog.proposals (organization_id, audit_rule_id) where audit_rule_id is not null and verdict is null;
-- The open proposals of a value, which the next one replaces.
create index proposals_of_value on catalog.proposals (product_id, slug) where verdict is null;
-- The rejected values of a product, which no rule accepts.
create index proposals_rejected on catalog.proposals (product_id, slug) where verdict = 'reject';
${byteCountTriggers({ table: 'catalog.proposals', bytes: `200 + ${jsonBytes('proposed', 'base', 'base_provenance')}` })}

-- Nobody can decide about a value of a deleted product, so it would stay in the review queue forever.
-- The array selects the index, also when the plan was made for a statement that deleted many products.
create function catalog.abandon_proposals() returns trigger language plpgsql as $$
begin
  delete from catalog.proposals r
   where r.product_id = any(array(select id from before_rows)) and r.verdict is null
     and exists (select 1 from identity.organizations o where o.id = r.organization_id);
  return null;
end $$;
-- Its name is the first, also before those of the page index, because enrichments lock the counters of proposals before they lock anything of products.
create trigger abandon_proposals after delete on catalog.products referencing old table as before_rows
  for each statement execute function catalog.abandon_proposals();

-- Whether a value of a job was right, with its confidence before and after calibration.
create table catalog.confidence_labels (
  item_id uuid not null,
  slug text not null,
  ${OF_ORGANIZATION},
  tier text not null,
  stated smallint not null, confidence smallint not null, score smallint not null default 0,
  is_right boolean not null,
  kind text not null,
  labeled_at timestamptz not null default clock_timestamp(),
  -- When the job wrote the value, and the rule whose audit it belongs to.
  written_at timestamptz not null default now(), audit_rule_id uuid,
  -- The same for the same value of a product, which several jobs may have written.
  value_key uuid not null default gen_random_uuid(),
  primary key (item_id, slug)
);
-- The newest labels, which the calibration reads.
create index confidence_labels_newest on catalog.confidence_labels (organization_id, labeled_at desc)
  include (slug, tier, stated, confidence, is_right);
-- The newest labels of a tier, which prove the thresholds.
create index confidence_labels_of_tier on catalog.confidence_labels (organization_id, tier, labeled_at desc)
  include (slug, score, is_right, kind, written_at, value_key);
-- The audit of a rule.
create index confidence_labels_of_audit on catalog.confidence_labels (organization_id, audit_rule_id, labeled_at)
  where audit_rule_id is not null;

-- The defaults of an organization. The salt decides which values are audited, so that nobody can predict them.
create table catalog.acceptance_settings (
  organization_id uuid primary key references identity.organizations on delete cascade deferrable initially deferred,
  precision double precision,
  audit_share double precision not null default 0.05,
  salt uuid not null default gen_random_uuid()
);
create trigger audit after insert or update on catalog.acceptance_settings
  for each row execute function identity.audit('acceptance', 'organization_id', 'organization_id');

-- The versions of the rules that accept values: of an attribute and tier, or with the slug '' of all attributes of the tier with few judgments.
create table catalog.acceptance_rules (
  ${OWNED},
  tier text not null, slug text not null, precision double precision not null, version integer not null,
  threshold smallint not null,
  judged integer not null, "right" integer not null,
  created_at timestamptz not null default now(),
  -- A broken rule accepts nothing, and the judgments of values that were written until broken_since no longer count.
  broken_at timestamptz, broken_since timestamptz,
  undone_at timestamptz,
  unique (organization_id, tier, slug, precision, version)
);
create trigger audit after update of broken_at, undone_at on catalog.acceptance_rules
  for each row execute function identity.audit('acceptance', 'id', 'organization_id');
-- The rules of an organization, newest first.
create index acceptance_rules_newest on catalog.acceptance_rules (organization_id, created_at desc, id desc);
-- The breaks of a tier.
create index acceptance_rules_broken on catalog.acceptance_rules (organization_id, tier, slug, broken_since) where broken_at is not null;
`;

/** The columns of a product that decide whether and where it is an example. */
const FACTS = ['organization_id', 'name', 'category', 'is_parent', 'user_provided_raw_data_sources', 'attributes', 'provenance'];
const factsOf = (row: string) => `(${FACTS.map((column) => `${row}.${column}`).join(', ')})`;

/** The ids of a transition table. As an array they select an index, also when the plan was made for a statement of many rows. */
const idsOf = (rows: string) => `any(array(select id from ${rows}))`;

/** Adds the given products to the examples, if people accepted any of their values. */
const addExamples = (ids: string) => `
  with added as (
    insert into catalog.examples (product_id, organization_id, category_key, buckets)
    select p.id, p.organization_id, catalog.category_key(p.category), catalog.example_buckets(p)
      from catalog.products p where p.id = ${ids} and not p.is_parent and catalog.has_accepted(p.attributes, p.provenance)
    on conflict do nothing returning product_id, buckets)
  insert into catalog.example_terms (bucket, product_id) select bucket, product_id from added, unnest(buckets) as bucket`;

/** Removes products from the examples. */
const removeExamples = (condition: string) => `
  with removed as (delete from catalog.examples where product_id ${condition} returning product_id, buckets)
  delete from catalog.example_terms t using (select product_id, unnest(buckets) as bucket from removed) r
   where t.bucket = r.bucket and t.product_id = r.product_id`;

/** The products with values that people accepted, which jobs show to models as examples. */
export const examples = `
-- A person wrote or accepted a value. Values written by callers have no provenance.
create function catalog.is_accepted(origin jsonb) returns boolean language sql immutable parallel safe
  return origin is null or origin ? 'reviewedAt' or origin ->> 'sourceKind' = 'review';
create function catalog.has_accepted(attributes jsonb, provenance jsonb) returns boolean language sql immutable parallel safe
  return exists (select 1 from jsonb_each(attributes) a
                  where jsonb_typeof(a.value -> 'value') <> 'null' and catalog.is_accepted(provenance -> a.key));
create function catalog.category_key(category text) returns uuid language sql immutable parallel safe
  return coalesce(catalog.name_key(category), '00000000-0000-0000-0000-000000000000');
create function catalog.example_text(name text, sources text[]) returns text language sql immutable parallel safe
  return left(name || E'\\n' || coalesce((select string_agg(left(s, 1000), E'\\n' order by n)
    from unnest(sources) with ordinality as given (s, n) where s !~* '^\\s*https?://'), ''), 1000);
-- The category and the longest words of a product, hashed within its category; and its longest words within the organization.
create function catalog.example_buckets(p catalog.products) returns bigint[] language sql immutable parallel safe
  return array(
    with words as (
      select word, row_number() over (order by length(word) desc, word) as place from (
        select distinct word from regexp_split_to_table(lower(left(
          catalog.example_text(p.name, p.user_provided_raw_data_sources), 400)), '[^[:alnum:]]+') as word where length(word) > 1) as each_word)
    select hashtextextended(concat_ws(' ', p.organization_id, catalog.category_key(p.category), word), 0) from words where place <= 12
    union select hashtextextended(concat_ws(' ', p.organization_id, word), 0) from words where place <= 6
    union select hashtextextended(concat_ws(' ', p.organization_id, catalog.category_key(p.category)), 0));

-- Products with accepted values, and the inverted index that finds them by word. Triggers maintain both.
create table catalog.examples (
  product_id uuid primary key,
  organization_id uuid not null,
  category_key uuid not null,
  buckets bigint[] not null
);
-- The examples of a category, and of the organization.
create index examples_category on catalog.examples (organization_id, category_key, product_id);
create index examples_organization on catalog.examples (organization_id, product_id);
create table catalog.example_terms (bucket bigint not null, product_id uuid not null, primary key (bucket, product_id));

-- A connection keeps the plan of a statement of a trigger, and its first rows decide it. After a change of thousands of products, a join would
-- make the next change of one product read all examples.
create function catalog.add_examples() returns trigger language plpgsql as $$
begin
  ${addExamples(idsOf('after_rows'))};
  return null;
end $$;
create function catalog.change_examples() returns trigger language plpgsql as $$
declare changed uuid[];
begin
  -- A full join, because another one would take quadratic time for many rows, after a connection made its plan for one.
  select array_agg(a.id) into changed from after_rows a full join before_rows b using (id)
   where ${factsOf('a')} is distinct from ${factsOf('b')};
  if changed is null then return null; end if;
  ${removeExamples(`in (
      select p.id from catalog.products p join catalog.examples e on e.product_id = p.id where p.id = any(changed)
         and (p.is_parent or not catalog.has_accepted(p.attributes, p.provenance)
              or (e.organization_id, e.category_key, e.buckets) is distinct from
                 (p.organization_id, catalog.category_key(p.category), catalog.example_buckets(p))))`)};
  ${addExamples('any(changed)')};
  return null;
end $$;
create function catalog.remove_examples() returns trigger language plpgsql as $$
begin
  ${removeExamples(`= ${idsOf('before_rows')}`)};
  return null;
end $$;
create trigger examples_added after insert on catalog.products referencing new table as after_rows
  for each statement execute function catalog.add_examples();
create trigger examples_changed after update on catalog.products referencing new table as after_rows old table as before_rows
  for each statement execute function catalog.change_examples();
create trigger examples_removed after delete on catalog.products referencing old table as before_rows
  for each statement execute function catalog.remove_examples();
`;

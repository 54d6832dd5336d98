import { createHash } from 'node:crypto';
import { balanceOf } from '../../../platform/credits/index.ts';
import { clock, query, sql } from '../../../platform/database/index.ts';
import { detached, type Scope, transaction } from '../../../platform/scope/index.ts';
import type { Services } from '../../../platform/subgraph/index.ts';
import { log } from '../../../platform/telemetry/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { codeOf } from '../../../schema/errors.ts';
import type { Attribute } from '../attributes/entity.ts';
import { chooseAttributes } from '../attributes/service.ts';
import { numberLocked } from '../changes/feed.ts';
import { createJob } from '../jobs/service.ts';
import { isSelected } from '../product-edits/product-selection.ts';
import { productItems } from '../products/job-items.ts';
import { GapRule } from './entity.ts';
import { priceOf, readInput, spentOf } from './service.ts';
import type { GapEstimate, GapRuleInput } from './types.ts';

/** Products of one job, and of one statement that looks for them. */
const PAGE = 5_000;
/** Milliseconds in which a check reads pages. The next check continues. */
const CHECK_MS = 5_000;
/** Milliseconds in which a sweep begins checks. */
const SWEEP_MS = 50_000;
/** Pages of an estimate. */
const ESTIMATED_PAGES = 10;

/** The products of a rule, and the request that it makes to models. */
type Options = Pick<GapRule, 'selection' | 'modelType' | 'websearch' | 'agreement' | 'attributeSetId' | 'attributeIds'>;

/** A gap counts as tried when a model of the tier has read the same sources for the same definition of the attribute. */
function hashOf(attribute: Attribute, { modelType, websearch, agreement }: Options): string {
  const { id, name, slug, type, unit, prompt, categoryPrompt, options, constraints } = attribute;
  const definition = { id, name, slug, type, unit, prompt, categoryPrompt, options, constraints, modelType, websearch, agreement };
  return createHash('sha256').update(JSON.stringify(definition)).digest().readBigInt64BE().toString();
}

interface Candidate {
  id: string;
  isParent: boolean;
  inputs: string;
  gaps: number;
}

interface Wanted {
  slugs: string[];
  hashes: string[];
}

const wantedOf = (attributes: Attribute[], options: Options): Wanted => ({
  slugs: attributes.map(({ slug }) => slug),
  hashes: attributes.map((attribute) => hashOf(attribute, options)),
});

/** Leaves archived products out. */
const selectionOf = ({ selection: { words, brand, category: categoryBelow, attributes, parents: parentFilter } }: Options) => ({
  filter: { words, brand, categoryBelow, attributes },
  parentFilter,
});

/** Those of the products that lack a value which nobody has tried to find in what they have now, in the order of `ids`. */
function candidates(scope: Scope, rule: Options, { slugs, hashes }: Wanted, ids: string[], limit: number): Promise<Candidate[]> {
  return query(
    scope.em,
    sql<Candidate>`
      select r.id, r.is_parent as "isParent", x.inputs::text, gap.count as gaps
        from unnest(${ids}::uuid[]) with ordinality given (id, n) join catalog.products r on r.id = given.id
       cross join lateral (
         select array_agg(w.hash) as hashes, count(*)::int as count from unnest(${slugs}::text[], ${hashes}::bigint[]) w (slug, hash)
          where not r.value_keys @> array[hashtextextended(w.slug, 0)]) gap
       cross join lateral (select case when gap.count > 0 then catalog.gap_inputs(r) end as inputs offset 0) x
       where ${isSelected(scope, { given: selectionOf(rule) })} and gap.count > 0
         and not gap.hashes <@ array(
           select unnest(j.gap_attributes) from catalog.job_items i join catalog.jobs j on j.id = i.job_id
            where i.product_id = r.id and i.gap_inputs = x.inputs and (i.status <> 'failed' or i.started_at is not null))
       order by given.n limit ${limit}`,
  );
}

interface Position {
  at: string;
  id: string;
}

/** The next products in the order of their creation. */
const pageAfter = ({ em, organizationId }: Scope, after: Position | null): Promise<Position[]> =>
  query(
    em,
    sql<Position>`select created_at::text as at, id from catalog.products
         where organization_id = ${organizationId} and not archived
           and (${after === null}::boolean or (created_at, id) > (${after?.at ?? 'epoch'}::timestamptz, ${after?.id ?? null}::uuid))
         order by created_at, id limit ${PAGE}`,
  );

/** Says what a rule would do if it started jobs now. */
export async function estimateGaps(scope: Scope, input: GapRuleInput): Promise<GapEstimate> {
  const rule = await readInput(scope, input);
  const attributes = await chooseAttributes(scope, rule.attributeSetId, rule.attributeIds);
  const wanted = wantedOf(attributes, rule);
  const estimate: GapEstimate = { products: 0, gaps: 0, credits: 0, checked: 0, isComplete: false };
  let after: Position | null = null;
  for (let nth = 0; nth < ESTIMATED_PAGES && !estimate.isComplete; nth += 1) {
    const page: Position[] = await pageAfter(scope, after);
    const found = await candidates(
      scope,
      rule,
      wanted,
      page.map(({ id }) => id),
      PAGE,
    );
    estimate.checked += page.length;
    estimate.products += found.length;
    for (const { gaps, isParent } of found) {
      estimate.gaps += gaps;
      estimate.credits += priceOf(rule, isParent);
    }
    estimate.isComplete = page.length < PAGE;
    after = page.at(-1) ?? after;
  }
  return estimate;
}

/** Columns of a rule that only its checks read. */
interface Progress {
  isScanning: boolean;
  scannedAt: string | null;
  scannedId: string | null;
  scannedDay: string | null;
  attributesHash: string | null;
  changesAfter: string;
  shownJobId: string | null;
}

type Halt = EnumValue<'GapRuleHalt'>;

/** Whether the reason pauses a rule. The others pass by themselves. */
const isFinal = (halt: Halt): boolean => halt !== 'ceiling' && halt !== 'credits';

/** The rule with its progress, locked. Undefined while another check has it, and for one that was paused or deleted. */
async function lockRule({ em, organizationId }: Scope, id: string): Promise<(GapRule & Progress) | undefined> {
  const [rule] = await query(
    em,
    sql<GapRule & Progress>`
      select id, selection, attribute_set_id as "attributeSetId", attribute_ids as "attributeIds", model_type as "modelType", websearch, agreement,
             auto_accept as "autoAccept", max_credits::float8 as "maxCredits", triggers, created_by_id as "createdById",
             is_scanning as "isScanning", scanned_at::text as "scannedAt", scanned_id as "scannedId", scanned_day::text as "scannedDay",
             attributes_hash as "attributesHash", changes_after as "changesAfter", shown_job_id as "shownJobId"
        from catalog.gap_rules where id = ${id} and organization_id = ${organizationId} and not paused for update skip locked`,
  );
  return rule;
}

/** Looks for products with gaps, and starts a job for them, in one transaction. Each call reads a bounded number of products. */
export async function checkRule(scope: Scope, id: string): Promise<void> {
  // In a transaction of its own, because it holds a lock that other readers of the changes need.
  const { last } = await transaction(scope, numberLocked);
  await transaction(scope, async (inner) => {
    const rule = await lockRule(inner, id);
    if (!rule) return;
    const halt = await startJob(inner, rule, last);
    await query(
      inner.em,
      sql`update catalog.gap_rules set checked_at = now(), halted_by = ${halt ?? null}, paused = ${halt !== undefined && isFinal(halt)} where id = ${id}`,
    );
  });
}

async function startJob(scope: Scope, rule: GapRule & Progress, lastChange: number): Promise<Halt | undefined> {
  const { em } = scope;
  const [job] = await query(
    em,
    sql<{ id: string; status: string }>`
      select id, status from catalog.jobs where gap_rule_id = ${rule.id} order by created_at desc, id desc limit 1`,
  );
  if (job && (job.status === 'pending' || job.status === 'processing')) return undefined;
  if (job && job.id !== rule.shownJobId && (job.status === 'stopped' || job.status === 'failed')) {
    await query(em, sql`update catalog.gap_rules set shown_job_id = ${job.id} where id = ${rule.id}`);
    return job.status === 'stopped' ? 'job-stopped' : 'job-failed';
  }
  const attributes = await chooseAttributes(scope, rule.attributeSetId, rule.attributeIds).catch((error) => {
    if (codeOf(error) === 'NOT_FOUND') return [];
    throw error;
  });
  if (attributes.length === 0) return 'no-attributes';
  const wanted = wantedOf(attributes, rule);
  const room = await roomOf(scope, rule);
  if (typeof room === 'string') return room;
  const found = await findProducts(scope, rule, wanted, Math.min(room, PAGE), lastChange);
  if (found.length === 0) return undefined;
  const { modelType, websearch, agreement, autoAccept, attributeSetId, attributeIds, createdById } = rule;
  const options = { modelType, websearch, agreement, autoAccept, attributeSetId, attributeIds, createdById };
  const fixed = { kind: 'product-enrichment', extractImages: false, includeExistingAttributes: true, overwrite: 'empty' } as const;
  const gaps = found.reduce((sum, each) => sum + each.gaps, 0);
  const items = productItems(
    found.map(({ id }) => id),
    found.map(({ inputs }) => inputs),
  );
  await createJob(scope, { ...fixed, ...options, gapRuleId: rule.id, gapAttributes: wanted.hashes, gaps }, items);
  return undefined;
}

/** How many products the credits of the organization and the ceiling of the rule allow. */
async function roomOf(scope: Scope, rule: GapRule): Promise<number | Halt> {
  const price = priceOf(rule, false);
  const spent = (await spentOf(scope, [rule])).get(rule.id) ?? 0;
  const ofCeiling = Math.floor((rule.maxCredits - spent) / price);
  if (ofCeiling < 1) return 'ceiling';
  if (!scope.services.requireCredits) return ofCeiling;
  const ofBalance = Math.floor((await balanceOf(scope)) / price);
  return ofBalance < 1 ? 'credits' : Math.min(ofCeiling, ofBalance);
}

/** The next products of a rule, and the mark up to which it has looked. */
async function findProducts(scope: Scope, rule: GapRule & Progress, wanted: Wanted, room: number, lastChange: number) {
  const hash = createHash('sha256').update(wanted.hashes.toSorted().join()).digest('hex');
  const today = clock.now().toISOString().slice(0, 10);
  const { triggers } = rule;
  const isDue =
    rule.isScanning ||
    (triggers.includes('nightly') && rule.scannedDay !== today) ||
    (triggers.includes('attributes-changed') && rule.attributesHash !== hash);
  if (isDue) return scan(scope, rule, wanted, room, { hash, today, lastChange });
  return triggers.includes('product-changed') ? readChanged(scope, rule, wanted, room) : [];
}

interface Seen {
  hash: string;
  today: string;
  lastChange: number;
}

/** Looks at all products, a page at a time, and remembers where it stopped. */
async function scan(scope: Scope, rule: GapRule & Progress, wanted: Wanted, room: number, { hash, today, lastChange }: Seen) {
  const end = clock.ms() + CHECK_MS;
  const found: Candidate[] = [];
  let after = rule.scannedAt && rule.scannedId ? { at: rule.scannedAt, id: rule.scannedId } : null;
  const isFirst = after === null;
  let isOver = false;
  do {
    const page: Position[] = await pageAfter(scope, after);
    const more = await candidates(
      scope,
      rule,
      wanted,
      page.map(({ id }) => id),
      room - found.length,
    );
    found.push(...more);
    isOver = found.length < room && page.length < PAGE;
    after = (found.length < room ? page.at(-1) : page.find(({ id }) => id === more.at(-1)?.id)) ?? after;
  } while (!isOver && found.length < room && clock.ms() < end);
  await query(
    scope.em,
    sql`update catalog.gap_rules set
          is_scanning = ${!isOver}, scanned_at = ${isOver ? null : after!.at}::timestamptz, scanned_id = ${isOver ? null : after!.id}::uuid,
          scanned_day = ${isFirst ? today : rule.scannedDay}, attributes_hash = ${isFirst ? hash : rule.attributesHash},
          -- Later changes are read after the check.
          changes_after = ${isFirst ? lastChange : rule.changesAfter}
         where id = ${rule.id}`,
  );
  return found;
}

/** Looks at the products that changed since the last check. */
async function readChanged(scope: Scope, rule: GapRule & Progress, wanted: Wanted, room: number) {
  const changed = await query(
    scope.em,
    sql<{ id: string; number: string }>`
      select record_id as id, number from catalog.changes
       where organization_id = ${scope.organizationId} and number > ${rule.changesAfter} and subject = 'product' and not deleted
       order by number limit ${PAGE}`,
  );
  if (changed.length === 0) return [];
  const found = await candidates(
    scope,
    rule,
    wanted,
    changed.map(({ id }) => id),
    room,
  );
  const last = found.length < room ? changed.at(-1) : changed.find(({ id }) => id === found.at(-1)?.id);
  await query(scope.em, sql`update catalog.gap_rules set changes_after = ${last!.number} where id = ${rule.id}`);
  return found;
}

/** The rules that were not checked for the longest time. */
const NEXT = `
  select id, organization_id as "organizationId" from catalog.gap_rules
   where not paused and (checked_at is null or checked_at < $1) order by checked_at nulls first, id limit 100`;

/**
 * Check all rules once. One that fails does not stop the others, and counts as checked. Safe to run concurrently, because a check locks its rule
 * and a rule has one open job.
 */
export async function fillGaps(services: Services): Promise<void> {
  const begin = clock.now();
  const end = clock.ms() + SWEEP_MS;
  while (clock.ms() < end) {
    const { rows } = await services.pool.query<{ id: string; organizationId: string }>(NEXT, [begin]);
    if (rows.length === 0) return;
    for (const { id, organizationId } of rows) {
      if (clock.ms() >= end) return;
      await checkRule(detached({ services, organizationId }), id).catch(async (err) => {
        log.warn({ err, organizationId, rule: id }, 'Failed to check a rule that fills gaps; the next sweep tries again');
      });
      await services.pool.query('update catalog.gap_rules set checked_at = greatest(checked_at, now()) where id = $1', [id]);
    }
  }
}

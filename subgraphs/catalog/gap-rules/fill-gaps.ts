import { createHash } from 'node:crypto';
import { balanceOf } from '../../../platform/credits/index.ts';
import { clock, query, sql } from '../../../platform/database/index.ts';
import { detached, type Scope, transaction } from '../../../platform/scope/index.ts';
import type { Services } from '../../../platform/subgraph/index.ts';
import { log } from '../../../platform/telemetry/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { codeOf } from '../../../schema/errors.ts';
import { Attribute } from '../attributes/entity.ts';
import { chooseAttributes } from '../attributes/service.ts';
import { numberLocked } from '../changes/feed.ts';
import { createJob } from '../jobs/service.ts';
import { isSelected } from '../product-edits/product-selection.ts';
import { productItems } from '../products/job-items.ts';
import { GapRule } from './entity.ts';
import { priceOf, readInput, spentOf } from './service.ts';
import type { GapEstimate, GapRuleInput } from './types.ts';

/** Products of one statement. Each may have a megabyte of sources. */
const PAGE = 1_000;
/** Products of one job. */
const JOB_SIZE = 5_000;
/** Milliseconds in which a check or an estimate reads pages. The next check continues. */
const CHECK_MS = 2_000;
/** Milliseconds of an organization in a sweep, and of the sweep. */
const [TURN_MS, SWEEP_MS] = [5_000, 50_000];

/** The products of a rule, and the request that it makes to models. */
type Options = Pick<GapRule, 'selection' | 'modelType' | 'websearch' | 'agreement' | 'attributeSetId' | 'attributeIds'>;

/** A gap counts as tried when a model of the tier has read the same sources for the same definition of the attribute. */
function hashOf(attribute: Attribute, { modelType, websearch, agreement }: Options): string {
  const { id, name, slug, type, unit, prompt, categoryPrompt, options, examples, constraints } = attribute;
  const definition = { id, name, slug, type, unit, prompt, categoryPrompt, options, examples, constraints };
  const text = JSON.stringify({ ...definition, modelType, websearch, agreement });
  return createHash('sha256').update(text).digest().readBigInt64BE().toString();
}

interface Wanted {
  slugs: string[];
  hashes: string[];
}

/** The active attributes of a rule. Those that were deleted are left out. */
async function wantedOf(scope: Scope, rule: Options): Promise<Wanted> {
  const { attributeIds, attributeSetId } = rule;
  const attributes = attributeIds
    ? await scope.em.find(Attribute, { id: { $in: attributeIds }, subject: 'product', isActive: true })
    : await chooseAttributes(scope, attributeSetId).catch((error) => {
        if (codeOf(error) === 'NOT_FOUND') return [];
        throw error;
      });
  return { slugs: attributes.map(({ slug }) => slug), hashes: attributes.map((attribute) => hashOf(attribute, rule)) };
}

/** SQL of the hashes of the attributes for which the product `r` has no value. Linear in both. */
const missing = ({ slugs, hashes }: Wanted) => sql`
  select w.hash from unnest(${slugs}::text[], ${hashes}::bigint[]) w (slug, hash)
    left join unnest(r.value_keys) has (key) on has.key = hashtextextended(w.slug, 0) where has.key is null`;

/** Leaves archived products out. */
const selectionOf = ({ selection: { words, brand, category: categoryBelow, attributes, parents: parentFilter } }: Options) => ({
  filter: { words, brand, categoryBelow, attributes },
  parentFilter,
});

interface Candidate {
  id: string;
  isParent: boolean;
  inputs: string;
  gaps: number;
}

/** Those of the products that lack a value which nobody has tried to find in their sources of now, in the order of `ids`. */
function candidates(scope: Scope, rule: Options, wanted: Wanted, ids: string[], limit: number): Promise<Candidate[]> {
  return query(
    scope.em,
    sql<Candidate>`
      select r.id, r.is_parent as "isParent", x.inputs::text, cardinality(gap.hashes) as gaps
        from unnest(${ids}::uuid[]) with ordinality given (id, n) join catalog.products r on r.id = given.id
       cross join lateral (select array(${missing(wanted)}) as hashes offset 0) gap
       cross join lateral (select case when cardinality(gap.hashes) > 0 then catalog.gap_inputs(r.id) end as inputs offset 0) x
       where ${isSelected(scope, { given: selectionOf(rule) })} and cardinality(gap.hashes) > 0
         and exists (
           select unnest(gap.hashes) except
           select unnest(j.gap_attributes) from catalog.job_items i join catalog.jobs j on j.id = i.job_id
            where i.product_id = r.id and i.gap_inputs = x.inputs)
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

/** Says how much a rule would read if it started jobs now. */
export async function estimateGaps(scope: Scope, input: GapRuleInput): Promise<GapEstimate> {
  const rule = await readInput(scope, input);
  const wanted = await wantedOf(scope, rule);
  const estimate: GapEstimate = { products: 0, gaps: 0, credits: 0, checked: 0, isComplete: false };
  const end = clock.ms() + CHECK_MS;
  let after: Position | null = null;
  do {
    const page: Position[] = await pageAfter(scope, after);
    const ids = page.map(({ id }) => id);
    const found = await candidates(scope, rule, wanted, ids, PAGE);
    estimate.checked += page.length;
    estimate.products += found.length;
    for (const { gaps, isParent } of found) {
      estimate.gaps += gaps;
      estimate.credits += priceOf(rule, isParent);
    }
    estimate.isComplete = page.length < PAGE;
    after = page.at(-1) ?? after;
  } while (!estimate.isComplete && clock.ms() < end);
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
type ProgressOfCheck = Omit<Progress, 'shownJobId'>;

interface CheckedRule extends Omit<GapRule, keyof Progress>, Progress {
  /** Changes with every write to the rule. */
  version: string;
}

type Halt = EnumValue<'GapRuleHalt'>;

/** Whether the reason pauses a rule. The others pass by themselves. */
const isFinal = (halt: Halt | null): boolean => halt === 'job-stopped' || halt === 'job-failed' || halt === 'no-attributes';

/** Undefined for a rule that was paused or deleted. */
async function readRule({ em, organizationId }: Scope, id: string): Promise<CheckedRule | undefined> {
  const [rule] = await query(
    em,
    sql<CheckedRule>`
      select id, selection, attribute_set_id as "attributeSetId", attribute_ids as "attributeIds", model_type as "modelType", websearch, agreement,
             auto_accept as "autoAccept", max_credits::float8 as "maxCredits", triggers, created_by_id as "createdById",
             is_scanning as "isScanning", scanned_at::text as "scannedAt", scanned_id as "scannedId", scanned_day::text as "scannedDay",
             attributes_hash as "attributesHash", changes_after as "changesAfter", shown_job_id as "shownJobId", xmin::text as version
        from catalog.gap_rules where id = ${id} and organization_id = ${organizationId} and not paused`,
  );
  return rule;
}

/** The result of looking for products: those of the next job, and the progress of the rule. */
interface Finding {
  halt: Halt | null;
  shownJobId?: string;
  products: Candidate[];
  progress: ProgressOfCheck;
}

/**
 * Looks for products with gaps, and starts a job for them. Each call reads a bounded number of products. Checks of an organization take turns,
 * so that two of its rules never start jobs for the same gap. A check that finds its rule changed meanwhile writes nothing.
 */
export async function checkRule(scope: Scope, id: string): Promise<void> {
  // In a transaction of its own, because it holds a lock that other readers of the changes need.
  const { last } = await transaction(scope, numberLocked);
  await transaction(scope, async (inner) => {
    const { em, organizationId } = inner;
    const name = `checks of gap rules of ${organizationId}`;
    const [turn] = await query(
      em,
      sql<{ isOurs: boolean }>`select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as "isOurs"`,
    );
    const rule = turn!.isOurs ? await readRule(inner, id) : undefined;
    if (!rule) return;
    const wanted = await wantedOf(inner, rule);
    const finding = await findWork(inner, rule, wanted, last);
    const [unchanged] = await query(
      em,
      sql`select id from catalog.gap_rules where id = ${id} and xmin::text = ${rule.version} for update skip locked`,
    );
    if (!unchanged) return;
    const { halt, progress, products, shownJobId } = finding;
    await query(
      em,
      sql`update catalog.gap_rules set
            checked_at = now(), halted_by = ${halt}, paused = ${isFinal(halt)}, shown_job_id = ${shownJobId ?? rule.shownJobId},
            is_scanning = ${progress.isScanning}, scanned_at = ${progress.scannedAt}::timestamptz, scanned_id = ${progress.scannedId}::uuid,
            scanned_day = ${progress.scannedDay}::date, attributes_hash = ${progress.attributesHash}, changes_after = ${progress.changesAfter}
           where id = ${id}`,
    );
    if (products.length > 0) await startJob(inner, rule, wanted, products);
  });
}

async function findWork(scope: Scope, rule: CheckedRule, wanted: Wanted, lastChange: number): Promise<Finding> {
  const none = { products: [], progress: rule };
  const last = await lastJob(scope, rule, wanted);
  if (last?.isOpen) return { ...none, halt: null };
  if (last?.halt && last.id !== rule.shownJobId) return { ...none, halt: last.halt, shownJobId: last.id };
  if (wanted.slugs.length === 0) return { ...none, halt: 'no-attributes' };
  const room = await roomOf(scope, rule);
  if (typeof room === 'string') return { ...none, halt: room };
  return { halt: null, ...(await findProducts(scope, rule, wanted, Math.min(room, JOB_SIZE), lastChange)) };
}

/** The last job of a rule. Counts the gaps that it left once it has ended. */
async function lastJob({ em }: Scope, { id }: GapRule, { slugs }: Wanted) {
  const [job] = await query(
    em,
    sql<{ id: string; status: string; isOpen: boolean; isCounted: boolean }>`
      select id, status, status in ('pending', 'processing') or processed_count < total_count as "isOpen", gaps_left is not null as "isCounted"
        from catalog.jobs where gap_rule_id = ${id} order by created_at desc, id desc limit 1`,
  );
  if (!job || job.isOpen) return job && { ...job, halt: null };
  if (!job.isCounted)
    await query(
      em,
      sql`update catalog.jobs set gaps_left = (
            select count(*) from catalog.job_items i join catalog.products r on r.id = i.product_id
             cross join lateral (${missing({ slugs, hashes: slugs.map(() => '0') })}) gap where i.job_id = ${job.id})
           where id = ${job.id}`,
    );
  const [unread] = await query(
    em,
    sql<{
      areMany: boolean;
    }>`select count(*) * 2 >= (select total_count from catalog.jobs where id = ${job.id}) and count(*) > 0 as "areMany"
         from catalog.job_items where job_id = ${job.id} and status = 'failed' and gap_inputs is null`,
  );
  const halt: Halt | null =
    job.status === 'stopped' ? 'job-stopped' : job.status === 'failed' || unread!.areMany ? 'job-failed' : null;
  return { ...job, halt };
}

async function startJob(scope: Scope, rule: CheckedRule, { hashes }: Wanted, products: Candidate[]): Promise<void> {
  const { modelType, websearch, agreement, autoAccept, attributeSetId, attributeIds, createdById } = rule;
  const options = { modelType, websearch, agreement, autoAccept, attributeSetId, attributeIds, createdById };
  const fixed = { kind: 'product-enrichment', extractImages: false, includeExistingAttributes: true, overwrite: 'empty' } as const;
  const gaps = products.reduce((sum, each) => sum + each.gaps, 0);
  const items = productItems(
    products.map(({ id }) => id),
    products.map(({ inputs }) => inputs),
  );
  await createJob(scope, { ...fixed, ...options, gapRuleId: rule.id, gapAttributes: hashes, gaps }, items);
}

/** How many products the ceiling of the rule and the credits of the organization allow. Open jobs of other rules keep theirs. */
async function roomOf(scope: Scope, rule: GapRule): Promise<number | Halt> {
  const price = priceOf(rule, false);
  const { spent, reserved } = await spentOf(scope, [rule.id]);
  const ofCeiling = Math.floor((rule.maxCredits - (spent.get(rule.id) ?? 0)) / price);
  if (ofCeiling < 1) return 'ceiling';
  if (!scope.services.requireCredits) return ofCeiling;
  const ofBalance = Math.floor(((await balanceOf(scope)) - reserved) / price);
  return ofBalance < 1 ? 'credits' : Math.min(ofCeiling, ofBalance);
}

type Found = Pick<Finding, 'products' | 'progress'>;

/** The next products of a rule, and its progress. */
async function findProducts(scope: Scope, rule: CheckedRule, wanted: Wanted, room: number, lastChange: number): Promise<Found> {
  const attributesHash = createHash('sha256').update(wanted.hashes.toSorted().join()).digest('hex');
  const scannedDay = clock.now().toISOString().slice(0, 10);
  const { triggers } = rule;
  const isDue =
    rule.isScanning ||
    (triggers.includes('nightly') && rule.scannedDay !== scannedDay) ||
    (triggers.includes('attributes-changed') && rule.attributesHash !== attributesHash);
  // Changes since the beginning of the check of all products are read after it.
  if (isDue) return scan(scope, rule, wanted, room, { scannedDay, attributesHash, changesAfter: String(lastChange) });
  return triggers.includes('product-changed')
    ? readChanged(scope, rule, wanted, room, lastChange)
    : { products: [], progress: rule };
}

type Seen = Pick<Progress, 'scannedDay' | 'attributesHash' | 'changesAfter'>;

/** Looks at all products, a page at a time. */
async function scan(scope: Scope, rule: CheckedRule, wanted: Wanted, room: number, seen: Seen): Promise<Found> {
  const end = clock.ms() + CHECK_MS;
  const products: Candidate[] = [];
  let after = rule.scannedAt && rule.scannedId ? { at: rule.scannedAt, id: rule.scannedId } : null;
  const begun = after ? rule : seen;
  let isOver = false;
  do {
    const page: Position[] = await pageAfter(scope, after);
    const ids = page.map(({ id }) => id);
    const found = await candidates(scope, rule, wanted, ids, room - products.length);
    products.push(...found);
    const isFull = products.length === room;
    isOver = !isFull && page.length < PAGE;
    after = (isFull ? page.find(({ id }) => id === found.at(-1)?.id) : page.at(-1)) ?? after;
  } while (!isOver && products.length < room && clock.ms() < end);
  const { scannedDay, attributesHash, changesAfter } = begun;
  const position = isOver ? { scannedAt: null, scannedId: null } : { scannedAt: after!.at, scannedId: after!.id };
  return { products, progress: { isScanning: !isOver, ...position, scannedDay, attributesHash, changesAfter } };
}

/** Looks at the products that changed since the last check, and at the parents of those. */
async function readChanged(scope: Scope, rule: CheckedRule, wanted: Wanted, room: number, lastChange: number): Promise<Found> {
  const end = clock.ms() + CHECK_MS;
  const products: Candidate[] = [];
  let after = rule.changesAfter;
  let isOver = false;
  do {
    const changed = await query(
      scope.em,
      sql<{ id: string; parentId: string | null; number: string }>`
        select c.record_id as id, p.parent_id as "parentId", c.number from catalog.changes c left join catalog.products p on p.id = c.record_id
         where c.organization_id = ${scope.organizationId} and c.number > ${after} and c.number <= ${lastChange}
           and c.subject = 'product' and not c.deleted
         order by c.number limit ${PAGE}`,
    );
    const known = new Set(products.map(({ id }) => id));
    const ids = [...new Set(changed.flatMap(({ id, parentId }) => (parentId ? [id, parentId] : [id])))];
    const found = await candidates(
      scope,
      rule,
      wanted,
      ids.filter((id) => !known.has(id)),
      room - products.length,
    );
    products.push(...found);
    const isFull = products.length === room;
    isOver = !isFull && changed.length < PAGE;
    const last = found.at(-1)?.id;
    // The change of the last product is read again, because its parent may be among the products that had no room.
    const stopped = changed.findIndex(({ id, parentId }) => id === last || parentId === last);
    after = (isFull ? changed[stopped - 1]?.number : changed.at(-1)?.number) ?? after;
  } while (!isOver && products.length < room && clock.ms() < end);
  return { products, progress: { ...rule, changesAfter: isOver ? String(lastChange) : after } };
}

/** The organizations with rules, those first that waited the longest. */
const ORGANIZATIONS = `
  select organization_id as id, array_agg(id order by checked_at nulls first) as rules from catalog.gap_rules
   where not paused group by 1 order by min(coalesce(checked_at, 'epoch')), 1`;

const FAILED = `update catalog.gap_rules set checked_at = now(), halted_by = 'check-failed' where id = $1 and not paused`;

/**
 * Check the rules of all organizations, which take turns. A check that fails shows so on its rule and does not stop the others. Safe to run
 * concurrently, because the checks of an organization exclude each other, and a rule has one open job.
 */
export async function fillGaps(services: Services): Promise<void> {
  const end = clock.ms() + SWEEP_MS;
  const { rows } = await services.pool.query<{ id: string; rules: string[] }>(ORGANIZATIONS);
  for (const { id: organizationId, rules } of rows) {
    const turnEnd = clock.ms() + TURN_MS;
    for (const rule of rules) {
      if (clock.ms() >= end) return;
      if (clock.ms() >= turnEnd) break;
      await checkRule(detached({ services, organizationId }), rule).catch(async (err) => {
        log.warn({ err, organizationId, rule }, 'Failed to check a rule that fills gaps; the next sweep tries again');
        await services.pool.query(FAILED, [rule]).catch(() => {});
      });
    }
  }
}

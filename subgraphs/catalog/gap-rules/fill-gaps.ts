import { balanceOf } from '../../../platform/credits/index.ts';
import { clock, query, sql } from '../../../platform/database/index.ts';
import { detached, type Scope, transaction } from '../../../platform/scope/index.ts';
import type { Services } from '../../../platform/subgraph/index.ts';
import { log } from '../../../platform/telemetry/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { numberLocked } from '../changes/feed.ts';
import { createJob } from '../jobs/service.ts';
import { productItems } from '../products/job-items.ts';
import type { GapRule } from './entity.ts';
import {
  type Candidate,
  type CheckedRule,
  findProducts,
  missing,
  type NextProducts,
  type RuleAttributes,
  wantedOf,
} from './find-gaps.ts';
import { priceOf, spentOf } from './service.ts';

/** Products of one job. */
const JOB_SIZE = 5_000;
/** Milliseconds of an organization in a sweep, and of the sweep. */
const [TURN_MS, SWEEP_MS] = [5_000, 50_000];
/** Milliseconds in which a check numbers changes, of which a bulk edit makes a million. */
const NUMBER_MS = 1_000;

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

/** The products that a check found, or why it starts no job. */
interface Finding extends NextProducts {
  halt: Halt | null;
  shownJobId?: string;
}

/**
 * Looks for products with gaps, and starts a job for them. Each call reads a bounded number of products. Checks of an organization take turns,
 * so that two of its rules never start jobs for the same gap. A check that finds its rule changed meanwhile writes nothing.
 */
export async function checkRule(scope: Scope, id: string): Promise<void> {
  // In transactions of their own, because each holds a lock that other readers of the changes need.
  const end = clock.ms() + NUMBER_MS;
  let { last, isFull } = await transaction(scope, numberLocked);
  while (isFull && clock.ms() < end) ({ last, isFull } = await transaction(scope, numberLocked));
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

async function findWork(scope: Scope, rule: CheckedRule, wanted: RuleAttributes, lastChange: number): Promise<Finding> {
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
async function lastJob({ em }: Scope, { id }: GapRule, { slugs }: RuleAttributes) {
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

/** A job would fail if it named an attribute or a set that was deleted. */
async function startJob(scope: Scope, rule: CheckedRule, { ids, hashes }: RuleAttributes, products: Candidate[]): Promise<void> {
  const { modelType, websearch, agreement, autoAccept, attributeSetId, attributeIds, createdById } = rule;
  const attributes = attributeIds ? { attributeIds: ids } : { attributeSetId };
  const options = { modelType, websearch, agreement, autoAccept, ...attributes, createdById };
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

import { lockName, query, queryPrepared, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { emit } from '../../../platform/webhooks/index.ts';
import { IS_JUDGED, POOL, rulesLock } from './entity.ts';
import { HIGHER_BETS, higherRates } from './precision-bound.ts';

/** A judged value that a rule would have accepted. */
interface Audited {
  isRight: boolean;
  /** The precision that the rule promised. */
  precision: number;
}

/** A rule breaks when the wealth reaches this: on average not before so many audits, if its precision is just as promised. */
export const BREAKING_WEALTH = 50;

/**
 * Tests after each audited value whether the precision is lower than promised. Returns the number of audited values before those that led to
 * the break. Undefined if the rule holds.
 *
 * A sequential test by betting: a bet on a higher error rate wins at wrong values and loses at right ones, and has no expected gain if the
 * precision is reached (Waudby-Smith and Ramdas, 2023). A wealth below 1 starts again at 1, so that a long good history does not delay the break
 * (the e-detector of Shin, Ramdas and Rinaldo, 2022).
 */
export function findBreak(audits: readonly Audited[]): number | undefined {
  const bets = HIGHER_BETS.map(() => ({ wealth: 1, since: 0 }));
  for (const [at, { isRight, precision }] of audits.entries()) {
    const rates = higherRates(precision);
    for (const [which, bet] of bets.entries()) {
      const [permitted, rate] = [1 - precision, rates[which]!];
      if (bet.wealth < 1) Object.assign(bet, { wealth: 1, since: at });
      bet.wealth *= isRight ? (1 - rate) / (1 - permitted) : rate / permitted;
    }
    const mean = bets.reduce((sum, { wealth }) => sum + wealth, 0) / bets.length;
    if (mean >= BREAKING_WEALTH) return bets.toSorted((a, b) => b.wealth - a.wealth)[0]!.since;
  }
  return undefined;
}

/** Newest audited values of a rule that are tested. */
const MAX_AUDITS = 1_000;

/** All versions of the rule of an attribute, or of the shared rule, of one tier. */
interface Line {
  slug: string;
  tier: string;
}

interface Row extends Audited, Line {
  writtenAt: string;
}

/**
 * Breaks the rules of these audits whose precision is no longer reached. Runs in the transaction of the judgment. Judgments of values that
 * were written before the audits went wrong no longer count, so the rule stays silent until reviews of later values prove it again.
 */
export async function checkAudits(scope: Scope, ruleIds: readonly string[]): Promise<void> {
  if (ruleIds.length === 0) return;
  const audits = await readAudits(scope, [...new Set(ruleIds)]);
  // The order of the lines is that of the locks.
  for (const ofLine of Map.groupBy(audits, ({ slug, tier }) => JSON.stringify([slug, tier])).values()) {
    const good = findBreak(ofLine);
    if (good !== undefined) await breakRules(scope, ofLine, good);
  }
}

/** The judged audits of all versions of the rules since their last break, oldest first. */
function readAudits({ em, organizationId }: Scope, ruleIds: readonly string[]): Promise<Row[]> {
  return query(
    em,
    sql<Row>`select t.slug, t.tier, a.* from (
            select distinct slug, tier from catalog.acceptance_rules where organization_id = ${organizationId} and id = any(${ruleIds}::uuid[])) t
           cross join lateral (
            select l.is_right as "isRight", r.precision, l.written_at::text as "writtenAt", l.labeled_at as at
              from catalog.acceptance_rules r
              join catalog.confidence_labels l on l.organization_id = r.organization_id and l.audit_rule_id = r.id
             where r.organization_id = ${organizationId} and r.tier = t.tier and r.slug = t.slug and r.broken_at is null and ${IS_JUDGED}
             order by l.labeled_at desc limit ${MAX_AUDITS}::int) a
           order by t.slug, t.tier, a.at`,
  );
}

/** Breaks all versions of the rule of these audits, and announces it. The audits from `good` on are those that went wrong. */
async function breakRules(scope: Scope, audits: readonly Row[], good: number): Promise<void> {
  const { slug, tier } = audits[0]!;
  const { em, organizationId } = scope;
  await lockName(em, rulesLock(scope));
  const doubtful = audits.slice(good).map(({ writtenAt }) => writtenAt);
  const [broken] = await query(
    em,
    sql<{ brokenAt: Date }>`update catalog.acceptance_rules set broken_at = now(),
               broken_since = (select min(at) from unnest(${doubtful}::timestamptz[]) at) - interval '1 microsecond'
         where organization_id = ${organizationId} and tier = ${tier} and slug = ${slug} and broken_at is null
        returning broken_at as "brokenAt"`,
  );
  if (!broken) return;
  const right = audits.filter(({ isRight }) => isRight).length;
  const figures = { audited: audits.length, right, stoppedAt: new Date(broken.brokenAt).toISOString() };
  await emit(scope, 'acceptance.stopped', { attribute: slug === POOL ? null : slug, modelType: tier, ...figures });
}

/** A rule with so many audited values that nobody has judged accepts nothing more, because its precision is not measured. */
export const MAX_UNJUDGED = 50;

/**
 * The audited values that nobody has judged, at most `MAX_UNJUDGED`, of all versions of each unbroken rule. Values count that wait for a review, and
 * those that were accepted in bulk since the last judgment.
 */
export async function readUnjudged({ em, organizationId }: Scope, ruleIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await queryPrepared(
    em,
    sql<{ id: string; count: number }>`select t.id, least(${MAX_UNJUDGED}::int, waiting.count + in_bulk.count)::int as count
          from catalog.acceptance_rules t
         cross join lateral (select array_agg(r.id) as ids from catalog.acceptance_rules r
            where r.organization_id = ${organizationId} and r.tier = t.tier and r.slug = t.slug and r.broken_at is null) versions
         cross join lateral (select count(*) from (
           select 1 from catalog.proposals p
            where p.organization_id = ${organizationId} and p.audit_rule_id = any(versions.ids) and p.verdict is null
              and not exists (select 1 from catalog.confidence_labels l where l.item_id = p.item_id and l.slug = p.slug and ${IS_JUDGED})
            limit ${MAX_UNJUDGED}::int) p) waiting
         cross join lateral (select count(*) filter (where not has_judged and kind = 'bulk') from (
           select kind, bool_or(${IS_JUDGED}) over (order by labeled_at desc) as has_judged from (
             select l.kind, l.is_right, l.labeled_at from unnest(versions.ids) version
              cross join lateral (select kind, is_right, labeled_at from catalog.confidence_labels
                where organization_id = ${organizationId} and audit_rule_id = version order by labeled_at desc limit ${MAX_UNJUDGED}::int) l
              order by l.labeled_at desc limit ${MAX_UNJUDGED}::int) newest) l) in_bulk
         where t.organization_id = ${organizationId} and t.id = any(${[...ruleIds]}::uuid[]) and t.broken_at is null`,
  );
  return new Map(rows.map(({ id, count }) => [id, count]));
}

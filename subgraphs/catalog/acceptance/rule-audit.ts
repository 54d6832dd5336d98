import { query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { emit } from '../../../platform/webhooks/index.ts';
import { POOL } from './entity.ts';

/** A judged value that a rule would have accepted. */
interface Audited {
  isRight: boolean;
  /** The precision that the rule promised. */
  precision: number;
}

/** Error rates against which the test bets, as multiples of the rate that a rule permits. */
const BETS = [1.5, 3, 6];
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
  const bets = BETS.map((multiple) => ({ multiple, wealth: 1, since: 0 }));
  for (const [at, { isRight, precision }] of audits.entries()) {
    for (const bet of bets) {
      const permitted = 1 - precision;
      const rate = Math.min((1 + permitted) / 2, permitted * bet.multiple);
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

interface Row extends Audited {
  writtenAt: string;
}

/**
 * Breaks the rules of these audits whose precision is no longer reached. Runs in the transaction of the judgment. Judgments of values that
 * were written before the audits went wrong no longer count, so the rule stays silent until reviews of later values prove it again.
 */
export async function checkAudits(scope: Scope, ruleIds: readonly string[]): Promise<void> {
  for (const ruleId of [...new Set(ruleIds)].sort()) {
    const audits = await readAudits(scope, ruleId);
    const good = findBreak(audits);
    if (good !== undefined) await breakRules(scope, ruleId, audits, good);
  }
}

/** The audits of all versions of a rule since its last break, oldest first. */
function readAudits({ em, organizationId }: Scope, ruleId: string): Promise<Row[]> {
  return query(
    em,
    sql<Row>`select * from (
            select l.is_right as "isRight", r.precision, l.written_at::text as "writtenAt", l.labeled_at as at
              from catalog.acceptance_rules t
              join catalog.acceptance_rules r on r.organization_id = t.organization_id and r.tier = t.tier and r.slug = t.slug
              join catalog.confidence_labels l on l.organization_id = r.organization_id and l.audit_rule_id = r.id
             where t.id = ${ruleId} and t.organization_id = ${organizationId} and r.broken_at is null and l.kind = 'review'
             order by l.labeled_at desc limit ${MAX_AUDITS}::int) newest order by at`,
  );
}

/** Breaks all versions of the rule, and announces it. The audits from `good` on are those that went wrong. */
async function breakRules(scope: Scope, ruleId: string, audits: readonly Row[], good: number): Promise<void> {
  const { em, organizationId } = scope;
  const doubtful = audits.slice(good).map(({ writtenAt }) => writtenAt);
  const [broken] = await query(
    em,
    sql<{ slug: string; tier: string; brokenAt: Date }>`update catalog.acceptance_rules r set broken_at = now(),
               broken_since = (select min(at) from unnest(${doubtful}::timestamptz[]) at) - interval '1 microsecond'
          from catalog.acceptance_rules t
         where t.id = ${ruleId} and r.organization_id = ${organizationId} and t.organization_id = r.organization_id
           and r.tier = t.tier and r.slug = t.slug and r.broken_at is null
        returning r.slug, r.tier, r.broken_at as "brokenAt"`,
  );
  if (!broken) return;
  const { slug, tier: modelType, brokenAt } = broken;
  const right = audits.filter(({ isRight }) => isRight).length;
  const figures = { audited: audits.length, right, stoppedAt: new Date(brokenAt).toISOString() };
  await emit(scope, 'acceptance.stopped', { attribute: slug === POOL ? null : slug, modelType, ...figures });
}

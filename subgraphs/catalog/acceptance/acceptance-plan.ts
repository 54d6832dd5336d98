import { queryPrepared, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { POOL } from './entity.ts';
import { type Bound, chooseThreshold, type Judged, SPARE_WRONG, sampleFor, testedBounds, type Written } from './precision-bound.ts';

type Tier = EnumValue<'ModelType'>;

/** Newest judged values of a tier that count. */
const MAX_LABELS = 5_000;
/** An attribute with fewer judged values of its own accepts nothing, not even by the pool. */
const MIN_OWN = 10;
/** More judged values than this are never asked for. */
const MAX_NEEDED = 5_000;

interface Own {
  judged: Judged[];
  /** The judged values that count for the pool, which may have broken at another time. */
  pooled: Judged[];
  written: Written[];
  open: Written[];
  brokenSince: Date | null;
}

/** The rule that an attribute would follow, and the evidence for it. */
export interface Plan extends Partial<Bound> {
  slug: string;
  /** Whether the judged values of all attributes with few of them prove it together. */
  isPooled: boolean;
  /** Judged values of the attribute itself that count. */
  own: number;
  /** How many more judged values can prove the precision. Null if its values are too often wrong. */
  reviewsNeeded: number | null;
}

/**
 * The judged values of a tier by attribute and score, and the numbers of all values.
 *
 * Only judgments count that can make the measured precision too low, but never too high. A review of a single value counts. A bulk acceptance does
 * not, because nobody may have looked at the values; a bulk rejection does. Of edits only wrong values count, because a caller that sends all
 * values again has judged none. Validations do not count, because a model judges them. After a break, only values that were written since count.
 */
export async function readEvidence({ em, organizationId }: Scope, tier: Tier): Promise<Evidence> {
  const breaks = await queryPrepared(
    em,
    sql<{ slug: string; since: string }>`select slug, max(broken_since) as since from catalog.acceptance_rules
         where organization_id = ${organizationId} and tier = ${tier} and broken_at is not null group by slug`,
  );
  const labels = await queryPrepared(
    em,
    sql<Judged & { slug: string; pooled: number; pooledRight: number }>`with breaks as (
            select slug, max(broken_since) as since from catalog.acceptance_rules
             where organization_id = ${organizationId} and tier = ${tier} and broken_at is not null group by slug
          ), newest as (
            select slug, score, is_right, written_at from catalog.confidence_labels
             where organization_id = ${organizationId} and tier = ${tier}
               and (kind = 'review' or not is_right and kind in ('bulk', 'edit')) order by labeled_at desc limit ${MAX_LABELS}::int
          ), counted as (
            select n.*, not exists (select 1 from breaks b where b.slug = ${POOL} and n.written_at <= b.since) as of_pool
              from newest n where not exists (select 1 from breaks b where b.slug = n.slug and n.written_at <= b.since))
          select slug, score, count(*)::int as count, (count(*) filter (where is_right))::int as "right",
                 (count(*) filter (where of_pool))::int as pooled, (count(*) filter (where of_pool and is_right))::int as "pooledRight"
            from counted group by slug, score`,
  );
  const counts = await queryPrepared(
    em,
    sql<{ kind: 'open' | 'written'; key: string; count: number }>`select kind, key, sum(count)::int as count from catalog.counters
         where organization_id = ${organizationId} and kind in ('open', 'written') and key like ${`${tier} %`}
         group by kind, key having sum(count) > 0`,
  );
  const attributes = new Map<string, Own>();
  const ownOf = (slug: string): Own => {
    const own = attributes.get(slug) ?? { judged: [], pooled: [], written: [], open: [], brokenSince: null };
    attributes.set(slug, own);
    return own;
  };
  for (const { slug, score, count, right, pooled, pooledRight } of labels) {
    ownOf(slug).judged.push({ score, count, right });
    if (pooled > 0) ownOf(slug).pooled.push({ score, count: pooled, right: pooledRight });
  }
  for (const { kind, key, count } of counts) {
    const [, score, ...slug] = key.split(' ');
    ownOf(slug.join(' '))[kind].push({ score: Number(score), count });
  }
  for (const { slug, since } of breaks) if (slug !== POOL) ownOf(slug).brokenSince = new Date(since);
  return new Evidence(attributes);
}

/** Plans the rules of a tier for any precision. */
export class Evidence {
  readonly #pools = new Map<number, Plan>();

  constructor(readonly attributes: ReadonlyMap<string, Own>) {}

  /** The rule of an attribute. */
  plan(slug: string, precision: number): Plan {
    const own = this.attributes.get(slug) ?? NOTHING;
    if (!isFew(own, precision)) return planOf(slug, own.judged, own.written, precision);
    const alone = { slug, isPooled: true, own: sizeOf(own.judged) };
    const pool = this.#pool(precision);
    const missing = Math.max(0, MIN_OWN - alone.own);
    if (missing > 0) return { ...alone, reviewsNeeded: Math.max(missing, pool.reviewsNeeded ?? missing) };
    return { ...pool, ...alone };
  }

  /** The rule that the attributes with few judged values share. */
  #pool(precision: number): Plan {
    const known = this.#pools.get(precision);
    if (known) return known;
    const members = [...this.attributes.values()].filter((own) => isFew(own, precision) && sizeOf(own.judged) >= MIN_OWN);
    const judged = merge(members.map(({ pooled }) => pooled));
    const written = merge(members.map((own) => own.written.map((each) => ({ ...each, right: 0 }))));
    const plan = { ...planOf(POOL, judged, written, precision), isPooled: true };
    this.#pools.set(precision, plan);
    return plan;
  }
}

const NOTHING: Own = { judged: [], pooled: [], written: [], open: [], brokenSince: null };

/** Whether an attribute has too few judged values for a rule of its own, which is rarely proven by the smallest sample. One whose rule broke must prove itself. */
const isFew = ({ judged, brokenSince }: Own, precision: number) =>
  brokenSince === null && sizeOf(judged) < 2 * sampleFor(precision, SPARE_WRONG);

const sizeOf = (values: readonly Written[]) => values.reduce((sum, { count }) => sum + count, 0);

const merge = (parts: readonly Judged[][]): Judged[] =>
  [...Map.groupBy(parts.flat(), ({ score }) => score)].map(([score, same]) => ({
    score,
    count: sizeOf(same),
    right: same.reduce((sum, { right }) => sum + right, 0),
  }));

function planOf(slug: string, judged: readonly Judged[], written: readonly Written[], precision: number): Plan {
  const bound = chooseThreshold(judged, written, precision);
  const own = sizeOf(judged);
  const reviewsNeeded = bound ? 0 : needed(judged, written, precision);
  return { slug, isPooled: false, own, ...bound, reviewsNeeded };
}

/** How many more judged values let the first test pass, if they are right as often as those so far. */
function needed(judged: readonly Judged[], written: readonly Written[], precision: number): number | null {
  const least = sampleFor(precision, SPARE_WRONG);
  if (!Number.isFinite(least)) return null;
  const [first] = testedBounds(judged, written, precision);
  if (!first) return Math.max(1, least - sizeOf(judged));
  const share = first.right / first.judged;
  if (share <= precision) return null;
  const total = sampleFor(precision, { share });
  return total <= MAX_NEEDED ? Math.max(1, total - first.judged) : null;
}

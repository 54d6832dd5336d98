import { query, queryPrepared, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { checkAudits } from '../acceptance/rule-audit.ts';
import type { Provenance } from '../attributes/attribute-content.ts';

interface Row extends Observation {
  slug: string;
  tier: string;
}

/** Newest labels of an organization that count. */
const MAX_LABELS = 5_000;
/** With fewer labels, an attribute uses those of all attributes of the tier, then those of all tiers, then none. */
const MIN_LABELS = 30;

/** Measures how often values of each stated confidence were right in the organization. Returns the calibration of each attribute. */
export async function readCalibrations(
  { em, organizationId }: Scope,
  tier: EnumValue<'ModelType'>,
): Promise<(slug: string) => Calibration> {
  const rows = await queryPrepared(
    em,
    sql<Row>`select slug, tier, stated, count(*)::int as count, (count(*) filter (where is_right))::int as "right"
          from (select slug, tier, stated, is_right from catalog.confidence_labels
                 where organization_id = ${organizationId} order by labeled_at desc limit ${MAX_LABELS}::int) newest
         group by slug, tier, stated`,
  );
  const ofTier = rows.filter((row) => row.tier === tier);
  return (slug) => {
    const levels = [ofTier.filter((row) => row.slug === slug), ofTier, rows];
    const enough = levels.find((level) => level.reduce((sum, { count }) => sum + count, 0) >= MIN_LABELS);
    return enough ? fitIsotonic(merged(enough)) : (stated) => stated;
  };
}

/** Adds up the observations of the same stated confidence. */
const merged = (rows: readonly Row[]): Observation[] =>
  [...Map.groupBy(rows, ({ stated }) => stated)].map(([stated, same]) => ({
    stated,
    count: same.reduce((sum, { count }) => sum + count, 0),
    right: same.reduce((sum, { right }) => sum + right, 0),
  }));

/** How often values with the same stated confidence were right. */
interface Observation {
  /** 0 to 100. */
  stated: number;
  count: number;
  right: number;
}

/** Maps a stated confidence to a measured one, both from 0 to 100. Monotone and continuous. */
export type Calibration = (stated: number) => number;

/** Fits the rates by isotonic regression (pool adjacent violators) and interpolates between the pools. */
export function fitIsotonic(observations: readonly Observation[]): Calibration {
  const pools: { weight: number; x: number; y: number }[] = [];
  for (const { stated, count, right } of [...observations].sort((a, b) => a.stated - b.stated)) {
    let pool = { weight: count, x: stated, y: right / count };
    for (let last = pools.at(-1); last && last.y >= pool.y; last = pools.at(-1)) {
      const weight = last.weight + pool.weight;
      const mean = (a: number, b: number) => (a * last!.weight + b * pool.weight) / weight;
      pool = { weight, x: mean(last.x, pool.x), y: mean(last.y, pool.y) };
      pools.pop();
    }
    pools.push(pool);
  }
  // Two imagined observations, one right and one wrong, so that a few labels never give certainty.
  let least = 0;
  const points = pools.map(({ weight, x, y }) => {
    least = Math.max(least, (100 * (y * weight + 1)) / (weight + 2));
    return { x, y: least };
  });
  return (stated) => interpolate(points, stated);
}

function interpolate(points: readonly { x: number; y: number }[], x: number): number {
  const above = points.findIndex((point) => point.x >= x);
  if (above === 0) return points[0]!.y;
  if (above < 0) return points.at(-1)!.y;
  const [low, high] = [points[above - 1]!, points[above]!];
  return low.y + ((high.y - low.y) * (x - low.x)) / (high.x - low.x);
}

/** The judgment on one value that a job wrote. */
export interface Label {
  slug: string;
  origin: Provenance;
  isRight: boolean;
}

/** Sources whose values no model has read. */
const WITHOUT_MODEL = ['variants', 'review', 'import', 'edit'];

/** A decision of a person outweighs a validation. A `bulk` decision concerns many values, which nobody may have looked at. */
type Kind = 'review' | 'bulk' | 'edit' | 'validation';

/**
 * Records whether values of jobs were right. The latest decision about a value counts. Runs in the transaction of the decision.
 * A judged audit may stop a rule that accepts values.
 */
export async function labelValues(scope: Scope, kind: Kind, labels: readonly Label[]): Promise<void> {
  const rows = labels
    .filter(({ origin }) => !WITHOUT_MODEL.includes(origin.sourceKind ?? ''))
    .map(({ slug, origin: { itemId, confidence, statedConfidence = confidence, score = 0, at }, isRight }) => ({
      ...{ slug, item_id: itemId, is_right: isRight },
      ...{ stated: Math.round(statedConfidence), confidence: Math.round(confidence), score, at },
    }));
  if (rows.length === 0) return;
  const { em, organizationId } = scope;
  const written = await query(
    em,
    sql<{
      auditRuleId: string | null;
    }>`insert into catalog.confidence_labels as known (item_id, slug, organization_id, tier, stated, confidence, score,
                                                        is_right, kind, written_at, audit_rule_id, value_key)
        select l.item_id, l.slug, j.organization_id, j.model_type, l.stated, l.confidence, l.score, l.is_right, ${kind},
               coalesce(l.at, now()), r.audit_rule_id,
               case when i.product_id is null or r.proposed is null then gen_random_uuid()
                    else md5(concat_ws(' ', i.product_id, l.slug, (r.proposed -> 'value')::text))::uuid end
          from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
            as l (item_id uuid, slug text, stated smallint, confidence smallint, score smallint, is_right boolean, at timestamptz)
          join catalog.job_items i on i.id = l.item_id and i.organization_id = ${organizationId}
          join catalog.jobs j on j.id = i.job_id
          left join catalog.proposals r on r.item_id = l.item_id and r.slug = l.slug and r.organization_id = i.organization_id
         order by l.item_id, l.slug
        on conflict (item_id, slug) do update set is_right = excluded.is_right, kind = excluded.kind, labeled_at = excluded.labeled_at,
                                                  audit_rule_id = coalesce(excluded.audit_rule_id, known.audit_rule_id)
         where (${kind} <> 'validation' or known.kind = 'validation')
               -- A caller who sends a reviewed value again has not judged it.
               and not (excluded.kind = 'edit' and excluded.is_right and known.kind = 'review' and known.is_right)
        returning audit_rule_id as "auditRuleId"`,
  );
  if (kind === 'validation') return;
  await checkAudits(
    scope,
    written.flatMap(({ auditRuleId }) => auditRuleId ?? []),
  );
}

/** Forgets the judgments of reviews that were undone. Runs in their transaction. */
export const forgetLabels = ({ em, organizationId }: Scope, itemId: string, slugs: string[]) =>
  query(
    em,
    sql`delete from catalog.confidence_labels
         where item_id = ${itemId} and slug = any(${slugs}::text[]) and organization_id = ${organizationId} and kind in ('review', 'bulk')`,
  );

import { Args, Authorized, Ctx, Float, Int, ObjectType, Query, Resolver } from 'type-graphql';
import { query, queryPrepared, sql } from '../../../platform/database/index.ts';
import { args, field, list, output } from '../../../platform/fields/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
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
export interface JudgedValue {
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
export async function labelValues(scope: Scope, kind: Kind, labels: readonly JudgedValue[]): Promise<void> {
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

const MAX_GROUPS = 200;

@ObjectType({ description: 'The judged values of one range of calibrated confidence.' })
class ConfidenceBand extends output({
  from: field(Int, 'Lowest confidence of the band: 0, 10, … 90.'),
  count: field(Int, 'Number of judged values.'),
  right: field(Float, 'Share of right values, 0 to 100.'),
  confidence: field(Float, 'Mean calibrated confidence, 0 to 100.'),
  statedConfidence: field(Float, 'Mean stated confidence, 0 to 100.'),
}) {}

@ObjectType({ description: 'The judged values of one attribute and model tier.' })
class ConfidenceGroup extends output({
  slug: field(String, 'Slug of the attribute, which may have been deleted since.'),
  modelType: field(enumTypes.ModelType),
  count: field(Int, 'Number of judged values.'),
  right: field(Float, 'Share of right values, 0 to 100.'),
  confidence: field(Float, 'Mean calibrated confidence, 0 to 100.'),
  statedConfidence: field(Float, 'Mean stated confidence, 0 to 100.'),
  calibrationError: field(Float, 'Mean difference between calibrated confidence and accuracy.'),
  statedCalibrationError: field(Float, 'Mean difference between stated confidence and accuracy.'),
}) {}

@ObjectType({ description: 'How well the confidence of values matches their accuracy, by reviews, validations and later edits.' })
class ConfidenceReport extends output({
  count: field(Int, 'Number of judged values; at most the newest 5,000.'),
  calibrationError: field(Float, {
    nullable: true,
    description: 'Mean difference between calibrated confidence and accuracy. Null if there are no values.',
  }),
  statedCalibrationError: field(Float, {
    nullable: true,
    description: 'Mean difference between stated confidence and accuracy. Null if there are no values.',
  }),
  bands: list(ConfidenceBand, { assumedSize: 10, description: 'The bands that have values, lowest first.' }),
  groups: list(ConfidenceGroup, {
    assumedSize: MAX_GROUPS,
    description: `The attributes and tiers with the most judged values, at most ${MAX_GROUPS}.`,
  }),
}) {}

class ConfidenceReportArguments extends args({
  slug: field(String, {
    minLength: 1,
    maxLength: 128,
    nullable: true,
    description: 'Slug of an attribute. Default: all attributes.',
  }),
  modelType: field(enumTypes.ModelType, { nullable: true, description: 'Default: all tiers.' }),
}) {}

@Resolver()
export class ConfidenceReportResolver {
  @Authorized('member')
  @Query(() => ConfidenceReport, { description: 'The reliability of confidences in the organization.' })
  confidenceReport(@Ctx() scope: RequestScope, @Args(() => ConfidenceReportArguments) wanted: ConfidenceReportArguments) {
    return readReport(scope, wanted);
  }
}

interface Labeled {
  slug: string;
  tier: EnumValue<'ModelType'>;
  stated: number;
  confidence: number;
  count: number;
  right: number;
}

async function readReport(
  { em, organizationId }: Scope,
  { slug, modelType }: ConfidenceReportArguments,
): Promise<ConfidenceReport> {
  const rows = await query(
    em,
    sql<Labeled>`select slug, tier, stated, confidence, count(*)::int as count, (count(*) filter (where is_right))::int as "right"
          from (select * from catalog.confidence_labels where organization_id = ${organizationId}
                   and (${slug ?? null}::text is null or slug = ${slug ?? null}) and (${modelType ?? null}::text is null or tier = ${modelType ?? null})
                 order by labeled_at desc limit ${MAX_LABELS}::int) newest
         group by slug, tier, stated, confidence`,
  );
  const isEmpty = rows.length === 0;
  return {
    count: total(rows),
    calibrationError: isEmpty ? null : errorOf(rows, byConfidence),
    statedCalibrationError: isEmpty ? null : errorOf(rows, byStated),
    bands: bandsOf(rows, byConfidence).map(([from, same]) => ({ from, ...summaryOf(same) })),
    groups: groupsOf(rows),
  };
}

const byConfidence = ({ confidence }: Labeled) => confidence;
const byStated = ({ stated }: Labeled) => stated;

const total = (rows: readonly Labeled[]) => rows.reduce((sum, { count }) => sum + count, 0);
const meanOf = (rows: readonly Labeled[], by: (row: Labeled) => number) =>
  rows.reduce((sum, row) => sum + by(row) * row.count, 0) / total(rows);
const shareRight = (rows: readonly Labeled[]) => (100 * rows.reduce((sum, { right }) => sum + right, 0)) / total(rows);

const summaryOf = (rows: readonly Labeled[]) => ({
  count: total(rows),
  right: shareRight(rows),
  confidence: meanOf(rows, byConfidence),
  statedConfidence: meanOf(rows, byStated),
});

const groupsOf = (rows: readonly Labeled[]): ConfidenceGroup[] =>
  [...Map.groupBy(rows, ({ slug, tier }) => `${tier} ${slug}`).values()]
    .map((same) => ({
      slug: same[0]!.slug,
      modelType: same[0]!.tier,
      ...summaryOf(same),
      calibrationError: errorOf(same, byConfidence),
      statedCalibrationError: errorOf(same, byStated),
    }))
    .sort((a, b) => b.count - a.count || a.slug.localeCompare(b.slug) || a.modelType.localeCompare(b.modelType))
    .slice(0, MAX_GROUPS);

/** Rows by the lower end of their band of ten, lowest first. */
const bandsOf = (rows: readonly Labeled[], by: (row: Labeled) => number): [from: number, rows: Labeled[]][] =>
  [...Map.groupBy(rows, (row) => Math.min(90, Math.floor(by(row) / 10) * 10))].sort(([a], [b]) => a - b);

/** Expected calibration error: the difference of each band, weighted by its values. */
const errorOf = (rows: readonly Labeled[], by: (row: Labeled) => number) =>
  bandsOf(rows, by).reduce((sum, [, same]) => sum + total(same) * Math.abs(meanOf(same, by) - shareRight(same)), 0) / total(rows);

import { Args, Authorized, Ctx, Float, Int, ObjectType, Query, Resolver } from 'type-graphql';
import { query, sql } from '../../../platform/database/index.ts';
import { args, field, list, output } from '../../../platform/fields/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';

const MAX_LABELS = 5_000;
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

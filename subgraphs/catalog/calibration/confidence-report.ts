import { Args, ArgsType, Authorized, Ctx, Field, Float, Int, ObjectType, Query, Resolver } from 'type-graphql';
import { query, sql } from '../../../platform/database/index.ts';
import { Limited } from '../../../platform/input/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';

const MAX_LABELS = 5_000;
const MAX_GROUPS = 200;

@ObjectType({ description: 'The judged values of one range of calibrated confidence.' })
class ConfidenceBand {
  @Field(() => Int, { description: 'Lowest confidence of the band: 0, 10, … 90.' })
  from!: number;

  @Field(() => Int, { description: 'Number of judged values.' })
  count!: number;

  @Field(() => Float, { description: 'Share of right values, 0 to 100.' })
  right!: number;

  @Field(() => Float, { description: 'Mean calibrated confidence, 0 to 100.' })
  confidence!: number;

  @Field(() => Float, { description: 'Mean stated confidence, 0 to 100.' })
  statedConfidence!: number;
}

@ObjectType({ description: 'The judged values of one attribute and model tier.' })
class ConfidenceGroup {
  @Field(() => String, { description: 'Slug of the attribute, which may have been deleted since.' })
  slug!: string;

  @Field(() => enumTypes.ModelType)
  modelType!: EnumValue<'ModelType'>;

  @Field(() => Int, { description: 'Number of judged values.' })
  count!: number;

  @Field(() => Float, { description: 'Share of right values, 0 to 100.' })
  right!: number;

  @Field(() => Float, { description: 'Mean calibrated confidence, 0 to 100.' })
  confidence!: number;

  @Field(() => Float, { description: 'Mean stated confidence, 0 to 100.' })
  statedConfidence!: number;

  @Field(() => Float, { description: 'Mean difference between calibrated confidence and accuracy.' })
  calibrationError!: number;

  @Field(() => Float, { description: 'Mean difference between stated confidence and accuracy.' })
  statedCalibrationError!: number;
}

@ObjectType({ description: 'How well the confidence of values matches their accuracy, by reviews, validations and later edits.' })
class ConfidenceReport {
  @Field(() => Int, { description: 'Number of judged values; at most the newest 5,000.' })
  count!: number;

  @Field(() => Float, {
    nullable: true,
    description: 'Mean difference between calibrated confidence and accuracy. Null if there are no values.',
  })
  calibrationError!: number | null;

  @Field(() => Float, {
    nullable: true,
    description: 'Mean difference between stated confidence and accuracy. Null if there are no values.',
  })
  statedCalibrationError!: number | null;

  @ListSize(10)
  @Field(() => [ConfidenceBand], { description: 'The bands that have values, lowest first.' })
  bands!: ConfidenceBand[];

  @ListSize(MAX_GROUPS)
  @Field(() => [ConfidenceGroup], { description: `The attributes and tiers with the most judged values, at most ${MAX_GROUPS}.` })
  groups!: ConfidenceGroup[];
}

@ArgsType()
class ConfidenceReportArguments {
  @Limited({ minLength: 1, maxLength: 128 })
  @Field(() => String, { nullable: true, description: 'Slug of an attribute. Default: all attributes.' })
  slug?: string | null;

  @Field(() => enumTypes.ModelType, { nullable: true, description: 'Default: all tiers.' })
  modelType?: EnumValue<'ModelType'> | null;
}

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

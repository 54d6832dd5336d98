import { Args, ArgsType, Authorized, Ctx, Field, Float, Int, ObjectType, Query, Resolver } from 'type-graphql';
import { wordTypes } from '../../../schema/scalars.ts';
import type { Word } from '../../../schema/words.ts';
import { query, sql } from '../../common/database.ts';
import { Limited } from '../../common/limits.ts';
import { ListSize } from '../../common/list-size.ts';
import type { RequestScope, Scope } from '../../common/scope.ts';

@ObjectType({ description: 'The judged values of one range of calibrated confidence.' })
export class ConfidenceBand {
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

@ObjectType({ description: 'How well the confidence of values matches their accuracy, by reviews, validations and later edits.' })
export class ConfidenceReport {
  @Field(() => Int, { description: 'Number of judged values; at most the newest 5,000.' })
  count!: number;

  @Field(() => Float, {
    nullable: true,
    description: 'Mean difference of calibrated confidence and accuracy. Null without values.',
  })
  calibrationError!: number | null;

  @Field(() => Float, { nullable: true, description: 'Mean difference of stated confidence and accuracy. Null without values.' })
  statedCalibrationError!: number | null;

  @ListSize(10)
  @Field(() => [ConfidenceBand], { description: 'The bands that have values, lowest first.' })
  bands!: ConfidenceBand[];
}

@ArgsType()
class ConfidenceReportArguments {
  @Limited({ minLength: 1, maxLength: 128 })
  @Field(() => String, { nullable: true, description: 'Slug of an attribute. Default: all attributes.' })
  slug?: string | null;

  @Field(() => wordTypes.ModelType, { nullable: true, description: 'Default: all tiers.' })
  modelType?: Word<'ModelType'> | null;
}

@Resolver()
export class ConfidenceReportResolver {
  @Authorized('member')
  @Query(() => ConfidenceReport, { description: 'The reliability of confidences in the organization.' })
  confidenceReport(@Ctx() scope: RequestScope, @Args(() => ConfidenceReportArguments) wanted: ConfidenceReportArguments) {
    return readReport(scope, wanted);
  }
}

const MAX_LABELS = 5_000;

interface Labeled {
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
    sql<Labeled>`select stated, confidence, count(*)::int as count, (count(*) filter (where is_right))::int as "right"
          from (select * from catalog.confidence_labels where organization_id = ${organizationId}
                   and (${slug ?? null}::text is null or slug = ${slug ?? null}) and (${modelType ?? null}::text is null or tier = ${modelType ?? null})
                 order by labeled_at desc limit ${MAX_LABELS}::int) newest
         group by stated, confidence`,
  );
  const bands = bandsOf(rows, ({ confidence }) => confidence);
  return {
    count: total(rows),
    calibrationError: errorOf(bands, ({ confidence }) => confidence),
    statedCalibrationError: errorOf(
      bandsOf(rows, ({ stated }) => stated),
      ({ statedConfidence }) => statedConfidence,
    ),
    bands,
  };
}

const total = (rows: readonly { count: number }[]) => rows.reduce((sum, { count }) => sum + count, 0);

const bandsOf = (rows: readonly Labeled[], by: (row: Labeled) => number): ConfidenceBand[] =>
  [...Map.groupBy(rows, (row) => Math.min(90, Math.floor(by(row) / 10) * 10))]
    .sort(([a], [b]) => a - b)
    .map(([from, same]) => {
      const mean = (of: (row: Labeled) => number) => same.reduce((sum, row) => sum + of(row), 0) / total(same);
      const statedConfidence = mean(({ stated, count }) => stated * count);
      return {
        from,
        count: total(same),
        right: mean(({ right }) => 100 * right),
        confidence: mean((row) => row.confidence * row.count),
        statedConfidence,
      };
    });

/** Expected calibration error: the difference of each band, weighted by its values. */
const errorOf = (bands: readonly ConfidenceBand[], of: (band: ConfidenceBand) => number) =>
  bands.length === 0 ? null : bands.reduce((sum, band) => sum + band.count * Math.abs(of(band) - band.right), 0) / total(bands);

import { queryPrepared, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { Word } from '../../../schema/words.ts';
import { type Calibration, fitIsotonic, type Observation } from './isotonic.ts';

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
  tier: Word<'ModelType'>,
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

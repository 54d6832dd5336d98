import { createHash, randomUUID } from 'node:crypto';
import { query, sql } from '../../platform/database/database.ts';
import { detached, type Scope, transaction } from '../../platform/scope/index.ts';
import type { Services } from '../../platform/subgraph/services.ts';
import type { EnumValue } from '../../schema/enums.ts';
import { readMostTeaching } from '../../subgraphs/catalog/acceptance/acceptance-report.ts';
import { setDefault } from '../../subgraphs/catalog/acceptance/entity.ts';
import type { Provenance } from '../../subgraphs/catalog/attributes/attribute-content.ts';
import { labelValues } from '../../subgraphs/catalog/calibration/calibrate.ts';
import { writeEnrichments } from '../../subgraphs/catalog/enrichment/product-writes.ts';
import type { Job, JobItem } from '../../subgraphs/catalog/jobs/entity.ts';
import { mulberry } from './mulberry.ts';

export interface World {
  /** `usual`: attributes of different quality, in which a higher score is more often right. `worst`: values are right a little less often than wanted. */
  kind: 'usual' | 'worst';
  precision: number;
  attributes: number;
  jobs: number;
  /** Whether values of the second half of the jobs are right 20 points less often. */
  hasDrift: boolean;
}

/** The values that rules of one organization accepted, whose truth is known. */
export interface AcceptedValues {
  values: number;
  right: number;
  /** The mean of the chances with which they were right. */
  chance: number;
}

export interface SimulatedOrganization {
  written: number;
  judged: number;
  accepted: AcceptedValues;
  /** Those of the second half of the jobs. */
  late: AcceptedValues;
  breaks: number;
}

/** Products of a job. */
const PRODUCTS = 18;
/** A value that is not accepted is judged with this chance, after its job. */
const JUDGED = 0.5;
const SHARES = [1, 1, 1, 1, 0.75, 0.5, 0.5, 0.25];
/** How much less often values are right after the drift. */
const LOSS = 0.2;
const TIERS = ['budget-v1', 'budget-v1', 'pro-v1'] as const;

interface Made {
  itemId: string;
  slug: string;
  chance: number;
  isRight: boolean;
  origin: Provenance;
}

type Random = () => number;

/** The chance of a value to be right, by score and tier. */
function worldOf({ kind, precision, attributes }: World, random: Random) {
  return Array.from({ length: attributes }, (_, at) => {
    const [middle, width] = [50 + 35 * random(), 20 + 20 * random()];
    const [base, slope] = [-1 + 2.5 * random(), 2 + 4 * random()];
    return {
      slug: `attribute-${at}`,
      /** Some attributes have values of few products. */
      share: SHARES[at % SHARES.length]!,
      scoreOf: () => Math.max(0, Math.min(100, Math.round(middle + width * (random() + random() + random() - 1.5)))),
      chanceOf: (score: number, tier: string) =>
        kind === 'worst' ? precision - 0.003 : 1 / (1 + Math.exp(-(base + (tier === 'pro-v1' ? 0.5 : 0) + (slope * score) / 50))),
    };
  });
}

/**
 * Lets jobs write values to an organization, rules accept some of them, and people judge others, by the functions of the product. People judge the
 * values that teach most, or any. The same world and number give values of the same kind.
 */
export async function simulateOrganization(services: Services, world: World, number: number): Promise<SimulatedOrganization> {
  const random = mulberry(
    createHash('sha256')
      .update(JSON.stringify([world, number]))
      .digest()
      .readUInt32BE(),
  );
  const organizationId = randomUUID();
  const scope = detached({ organizationId, services });
  const { pool } = services;
  await pool.query(`insert into identity.organizations (id, slug, name) values ($1, $2, 'Simulation')`, [
    organizationId,
    organizationId,
  ]);
  await setDefault(scope, { precision: world.precision });
  const attributes = worldOf(world, random);
  const isByTeaching = number % 2 === 1;
  const result: SimulatedOrganization = { written: 0, judged: 0, accepted: none(), late: none(), breaks: 0 };
  const open = new Map<string, Made>();
  for (let at = 0; at < world.jobs; at += 1) {
    const isLate = at >= world.jobs / 2;
    const tier = TIERS[at % TIERS.length]!;
    const jobId = randomUUID();
    const made: Made[] = [];
    const items = Array.from({ length: PRODUCTS }, () => ({ id: randomUUID(), jobId, productId: randomUUID() }));
    for (const { id: itemId } of items)
      for (const { slug, share, scoreOf, chanceOf } of attributes) {
        if (random() >= share) continue;
        const score = scoreOf();
        const chance = Math.max(0, chanceOf(score, tier) - (world.hasDrift && isLate ? LOSS : 0));
        made.push({ itemId, slug, chance, isRight: random() < chance, origin: originOf(jobId, itemId, score) });
      }
    await writeJob(scope, { id: jobId, tier, items }, made);
    const { rows } = await pool.query<{ key: string }>(
      `select item_id || ' ' || slug as key from catalog.proposals where job_id = $1 and rule_id is not null`,
      [jobId],
    );
    const accepted = new Set(rows.map(({ key }) => key));
    result.written += made.length;
    for (const value of made) {
      if (!accepted.has(keyOf(value))) open.set(keyOf(value), value);
      else for (const sum of isLate ? [result.accepted, result.late] : [result.accepted]) add(sum, value);
    }
    const waiting = made.filter((value) => open.has(keyOf(value)));
    const chosen = isByTeaching
      ? await mostTeaching(scope, tier, Math.round(waiting.length * JUDGED), open)
      : waiting.filter(() => random() < JUDGED);
    await judge(scope, chosen);
    for (const value of chosen) open.delete(keyOf(value));
    result.judged += chosen.length;
  }
  const { rows } = await pool.query<{ count: number }>(
    `select count(distinct (tier, slug, broken_at))::int as count from catalog.acceptance_rules
      where organization_id = $1 and broken_at is not null`,
    [organizationId],
  );
  return { ...result, breaks: rows[0]!.count };
}

const none = (): AcceptedValues => ({ values: 0, right: 0, chance: 0 });

function add(sum: AcceptedValues, { isRight, chance }: Made): void {
  sum.chance = (sum.chance * sum.values + chance) / (sum.values + 1);
  sum.values += 1;
  if (isRight) sum.right += 1;
}

const keyOf = ({ itemId, slug }: { itemId: string; slug: string }) => `${itemId} ${slug}`;

const originOf = (jobId: string, itemId: string, score: number): Provenance => ({
  ...{ jobId, itemId, model: 'simulation', confidence: 90, score, at: new Date().toISOString() },
  ...{ sourceKind: 'text', sourceUrl: null, snippet: null, contentHash: null },
});

interface SimulatedJob {
  id: string;
  tier: EnumValue<'ModelType'>;
  items: { id: string; jobId: string; productId: string }[];
}

/** Writes the values as the items of a job do. */
async function writeJob(scope: Scope, { id, tier, items }: SimulatedJob, made: readonly Made[]): Promise<void> {
  const { organizationId, services } = scope;
  await services.pool.query(
    `with job as (
       insert into catalog.jobs (id, organization_id, kind, status, model_type, total_count, created_by_id)
       values ($1::uuid, $2::uuid, 'product-enrichment', 'completed', $3, $4, $1::uuid)),
     made as (
       insert into catalog.products (id, organization_id, sku, name)
       select "productId", $2::uuid, id, 'Product' from jsonb_to_recordset($5::jsonb) g (id text, "productId" uuid))
     insert into catalog.job_items (id, organization_id, job_id, ordinal, turn, status, product_id)
     select id, $2::uuid, $1::uuid, row_number() over (), row_number() over (), 'completed', "productId" from jsonb_to_recordset($5::jsonb) g (id uuid, "productId" uuid)`,
    [id, organizationId, tier, items.length, JSON.stringify(items)],
  );
  const job = { id, modelType: tier, autoAccept: null, attributeSetId: null } as Job;
  const ofItem = Map.groupBy(made, ({ itemId }) => itemId);
  const enrichments = items.map((item) => {
    const own = ofItem.get(item.id) ?? [];
    const values = Object.fromEntries(
      own.map(({ slug }) => [slug, { attributeId: null, attributeName: slug, attributeType: 'text' as const, value: 'x' }]),
    );
    const provenance = Object.fromEntries(own.map(({ slug, origin }) => [slug, origin]));
    const overwrite: Job['overwrite'] = 'all';
    return { job, item: item as JobItem, overwrite, found: values, values, provenance, sources: [], images: [] };
  });
  await transaction(scope, (inner) => writeEnrichments(inner, enrichments));
}

async function mostTeaching(scope: Scope, tier: EnumValue<'ModelType'>, limit: number, open: ReadonlyMap<string, Made>) {
  const chosen = await readMostTeaching(scope, { modelType: tier, limit });
  return chosen.flatMap((proposal) => open.get(keyOf(proposal)) ?? []);
}

/** Records the verdicts of people, as a review does. */
const judge = (scope: Scope, values: readonly Made[]): Promise<void> =>
  transaction(scope, async (inner) => {
    const verdicts = values.map(({ itemId, slug, isRight }) => ({ itemId, slug, verdict: isRight ? 'accept' : 'reject' }));
    await query(
      inner.em,
      sql`update catalog.proposals r set verdict = g.verdict, reviewed_at = now()
            from jsonb_to_recordset(${JSON.stringify(verdicts)}::jsonb) g ("itemId" uuid, slug text, verdict text)
           where r.item_id = g."itemId" and r.slug = g.slug and r.organization_id = ${inner.organizationId}`,
    );
    await labelValues(
      inner,
      'review',
      values.map(({ slug, origin, isRight }) => ({ slug, origin, isRight })),
    );
  });

import { queryPrepared, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { IS_JUDGED, POOL } from './entity.ts';
import {
  type Bound,
  chooseThreshold,
  type Group,
  isRefuted,
  type Judged,
  provenLevel,
  Samples,
  smallestSample,
  type Written,
} from './precision-bound.ts';

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
  /** Whether its rule broke, so that it must prove itself. */
  hasBroken: boolean;
}

/** The numbers of open values, and of all values. */
const COUNTED: readonly ('open' | 'written')[] = ['open', 'written'];

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
 * The judged values of a tier by attribute and score, and the numbers of all values. After a break, only values that were written since count.
 */
export async function readEvidence(scope: Scope, tier: Tier, counted = COUNTED): Promise<Evidence> {
  const { em, organizationId } = scope;
  const breaks = await readBreaks(scope, tier);
  const known = [...breaks].map(([slug, since]) => ({ slug, since }));
  const labels = await queryPrepared(
    em,
    sql<Judged & { slug: string; pooled: number; pooledRight: number }>`with breaks as (
            select * from jsonb_to_recordset(${JSON.stringify(known)}::jsonb) as b (slug text, since timestamptz)
          ), newest as (
            select slug, score, is_right, written_at, value_key, labeled_at from catalog.confidence_labels
             where organization_id = ${organizationId} and tier = ${tier} and ${IS_JUDGED} order by labeled_at desc limit ${MAX_LABELS}::int
          ), once as (
            -- A value that several jobs wrote was judged several times, but is one observation.
            select distinct on (value_key) * from newest order by value_key, labeled_at desc
          ), counted as (
            select n.*, not exists (select 1 from breaks b where b.slug = ${POOL} and n.written_at <= b.since) as of_pool
              from once n where not exists (select 1 from breaks b where b.slug = n.slug and n.written_at <= b.since))
          select slug, score, count(*)::int as count, (count(*) filter (where is_right))::int as "right",
                 (count(*) filter (where of_pool))::int as pooled, (count(*) filter (where of_pool and is_right))::int as "pooledRight"
            from counted group by slug, score`,
  );
  const counts = await queryPrepared(
    em,
    sql<{ kind: 'open' | 'written'; key: string; count: number }>`select kind, key, sum(count)::int as count from catalog.counters
         where organization_id = ${organizationId} and kind = any(${[...counted]}::text[]) and key like ${`${tier} %`}
         group by kind, key having sum(count) > 0`,
  );
  const attributes = new Map<string, Own>();
  const ownOf = (slug: string): Own => {
    const own = attributes.get(slug) ?? noValues();
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
  for (const slug of breaks.keys()) if (slug !== POOL) ownOf(slug).hasBroken = true;
  return new Evidence(attributes, breaks);
}

/** The last break of each rule of a tier. */
export async function readBreaks({ em, organizationId }: Scope, tier: Tier): Promise<Map<string, string>> {
  const rows = await queryPrepared(
    em,
    sql<{ slug: string; since: string }>`select slug, max(broken_since)::text as since from catalog.acceptance_rules
         where organization_id = ${organizationId} and tier = ${tier} and broken_at is not null group by slug`,
  );
  return new Map(rows.map(({ slug, since }) => [slug, since]));
}

/** Plans the rules of a tier for any precision. */
export class Evidence {
  readonly #shared = new Map<number, Shared>();
  /** By the slug of the rule, with the members of a shared one. */
  readonly #samples = new Map<string, Samples>();

  constructor(
    readonly attributes: ReadonlyMap<string, Own>,
    /** The values of a rule that were written until then do not count. */
    readonly breaks: ReadonlyMap<string, string> = new Map(),
  ) {}

  /** The rule of an attribute. */
  plan(slug: string, precision: number): Plan {
    const own = this.attributes.get(slug) ?? noValues();
    const { enough, pool, members, missing } = this.#sharedAt(precision);
    if (!isFew(own, enough))
      return planOf(
        slug,
        this.#samplesOf([slug], () => [own]),
        precision,
      );
    const judged = sizeOf(own.judged);
    const alone = { slug, isPooled: true, own: judged };
    if (members.has(slug) && pool.threshold !== undefined) {
      const { threshold } = pool;
      if (
        !isRefuted(
          own.judged.filter(({ score }) => score >= threshold),
          precision,
        )
      )
        return { ...pool, ...alone };
      return { ...alone, reviewsNeeded: null };
    }
    // The shared rule needs as many judged values of the attribute as of its other attributes, and its own rule needs enough of them.
    const ofPool = pool.reviewsNeeded === null ? enough : Math.max(pool.reviewsNeeded, missing(own));
    const reviewsNeeded = Math.max(1, Math.ceil(Math.min(ofPool, enough - judged)));
    return { ...alone, reviewsNeeded: Number.isFinite(reviewsNeeded) ? reviewsNeeded : null };
  }

  #samplesOf(rule: readonly string[], groups: () => readonly Group[]): Samples {
    const key = JSON.stringify(rule);
    const samples = this.#samples.get(key) ?? new Samples(groups());
    this.#samples.set(key, samples);
    return samples;
  }

  #sharedAt(precision: number): Shared {
    const known = this.#shared.get(precision);
    if (known) return known;
    const enough = 1.5 * smallestSample(precision);
    const { chosen, share } = choosePool([...this.attributes].filter(([, own]) => isFew(own, enough)));
    const slugs = chosen.map(([slug]) => slug);
    const samples = this.#samplesOf([POOL, ...slugs], () => chosen.map(([, { pooled, written }]) => ({ judged: pooled, written })));
    const shared: Shared = {
      enough,
      pool: { ...planOf(POOL, samples, precision), isPooled: true },
      members: new Set(slugs),
      missing: (own) => Math.max(MIN_OWN - sizeOf(own.judged), share * writtenOf(own) - sizeOf(own.pooled)),
    };
    this.#shared.set(precision, shared);
    return shared;
  }
}

/** The rule that attributes with few judged values share at one precision. */
interface Shared {
  /** With this many judged values, an attribute has a rule of its own. Few are rarely proven by the smallest sample. */
  enough: number;
  pool: Plan;
  /** The attributes that follow it. */
  members: ReadonlySet<string>;
  /** Judged values that an attribute lacks to follow it. */
  missing(own: Own): number;
}

const noValues = (): Own => ({ judged: [], pooled: [], written: [], open: [], hasBroken: false });

/** Whether an attribute has too few judged values for a rule of its own. One whose rule broke needs one. */
const isFew = ({ judged, hasBroken }: Own, enough: number) => !hasBroken && sizeOf(judged) < enough;

/**
 * The shared rule counts each attribute by its share of the written values above a threshold, however many of its values were judged. It takes the attributes
 * whose values were judged most often, as many as give the largest sample. The choice never depends on judgments.
 */
function choosePool(few: readonly [string, Own][]): { chosen: [string, Own][]; share: number } {
  const candidates = few
    .map(([slug, own]) => ({ slug, own, judged: sizeOf(own.pooled), written: writtenOf(own) }))
    .filter(({ own, judged }) => sizeOf(own.judged) >= MIN_OWN && judged > 0)
    .sort((a, b) => b.judged / b.written - a.judged / a.written || (a.slug < b.slug ? -1 : 1));
  let [size, share, all, last] = [0, 0, 0, 0];
  for (const [at, { judged, written }] of candidates.entries()) {
    all += written;
    if ((judged / written) * all < size) continue;
    [size, share, last] = [(judged / written) * all, judged / written, at + 1];
  }
  return { chosen: candidates.slice(0, last).map(({ slug, own }) => [slug, own]), share };
}

/** The number of values. */
export const sizeOf = (values: readonly Written[]) => values.reduce((sum, { count }) => sum + count, 0);

/** Values that were judged were also written. */
const writtenOf = ({ written, pooled }: Own) => Math.max(sizeOf(written), sizeOf(pooled));

function planOf(slug: string, samples: Samples, precision: number): Plan {
  const bound = chooseThreshold(samples, precision);
  const proof = bound && { ...bound, judged: Math.floor(bound.judged), right: Math.floor(bound.right) };
  const reviewsNeeded = bound ? 0 : needed(samples, precision);
  return { slug, isPooled: false, own: samples.judged, ...proof, reviewsNeeded };
}

/** How many more judged values prove a threshold, if they are right as often as those so far. */
function needed(samples: Samples, precision: number): number | null {
  const least = smallestSample(precision);
  if (!Number.isFinite(least)) return null;
  if (samples.judged < least) return Math.max(1, Math.ceil(least - samples.judged));
  let [few, enough] = [1, MAX_NEEDED / samples.judged];
  if (enough <= 1 || provenLevel(samples, precision, enough) === undefined) return null;
  while ((enough - few) * samples.judged > 1) {
    const middle = (few + enough) / 2;
    if (provenLevel(samples, precision, middle) === undefined) few = middle;
    else enough = middle;
  }
  return Math.max(1, Math.ceil((enough - 1) * samples.judged));
}

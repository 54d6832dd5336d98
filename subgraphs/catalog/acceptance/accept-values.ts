import { createHmac } from 'node:crypto';
import { Int, ObjectType } from 'type-graphql';
import { lockNameShared, query, queryPrepared, readRows, requireAll, sql } from '../../../platform/database/index.ts';
import { field, output } from '../../../platform/fields/index.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import type { AttributeContent, Provenance } from '../attributes/attribute-content.ts';
import type { Job } from '../jobs/entity.ts';
import { type Evidence, type Plan, readBreaks, readEvidence } from './acceptance-plan.ts';
import { AcceptanceRule, POOL, rulesLock } from './entity.ts';
import { MAX_UNJUDGED, readUnjudged } from './rule-audit.ts';

/** The settings of a job that decide about acceptance. */
type AcceptingJob = Pick<Job, 'modelType' | 'autoAccept' | 'attributeSetId'>;

/** A rule as provenance names it. */
type AcceptedBy = NonNullable<Provenance['acceptedBy']>;

/** The rule that covers a value. An audited value waits for a person like any other. */
export interface Decided extends AcceptedBy {
  isAudit: boolean;
}

/** Decides about a value that an item is about to write. Undefined if no rule covers it. */
type Accept = (value: { itemId: string; slug: string; score: number }) => Decided | undefined;

/**
 * The rules for values of these attributes, in the transaction that writes the values. A changed threshold becomes a new version of its rule.
 * A break that commits at the same time may miss some values. It offers these for review, because they follow versions that it has broken.
 */
export async function readAcceptance(scope: Scope, job: AcceptingJob, slugs: readonly string[]): Promise<Accept> {
  const wanted = await readWanted(scope, job, slugs);
  if (wanted.length === 0) return () => undefined;
  const evidence = await readEvidence(scope, job.modelType, ['written']);
  const plans = wanted.map(({ slug, precision }) => ({ ...evidence.plan(slug, precision), precision }));
  const proven = plans.filter((plan): plan is Proven => plan.threshold !== undefined);
  if (proven.length === 0) return () => undefined;
  const rules = await currentRules(scope, job.modelType, proven, evidence.breaks);
  const unjudged = await readUnjudged(
    scope,
    [...rules.values()].map(({ ruleId }) => ruleId),
  );
  const { salt, auditShare } = wanted[0]!;
  return ({ itemId, slug, score }) => {
    const rule = rules.get(slug);
    if (!rule || score < rule.threshold || (unjudged.get(rule.ruleId) ?? 0) >= MAX_UNJUDGED) return undefined;
    return { ...rule, isAudit: isAudited(salt, auditShare, itemId, slug) };
  };
}

/** Each attempt of an item audits the same values. Nobody can predict them without the salt. */
function isAudited(salt: string, share: number, itemId: string, slug: string): boolean {
  return createHmac('sha256', salt).update(`${itemId} ${slug}`).digest().readUInt32BE() < share * 2 ** 32;
}

interface Wanted {
  slug: string;
  precision: number;
  auditShare: number;
  salt: string;
}

/** The wanted precision of each attribute: that of the job, else of the attribute, its set, or the organization. */
export const readWanted = (
  { em, organizationId }: Scope,
  { autoAccept, attributeSetId }: Omit<AcceptingJob, 'modelType'>,
  slugs: readonly string[],
) =>
  queryPrepared(
    em,
    sql<Wanted>`select s.slug, p.precision, o.audit_share as "auditShare", o.salt
           from catalog.acceptance_settings o cross join unnest(${slugs}::text[]) s (slug)
           left join catalog.attributes a on a.organization_id = o.organization_id and a.subject = 'product' and a.slug = s.slug
           left join catalog.attribute_sets t on t.id = ${attributeSetId}::uuid and t.organization_id = o.organization_id
          cross join lateral (select coalesce(${autoAccept}::float8, a.auto_accept, t.auto_accept, o.precision) as precision) p
          where o.organization_id = ${organizationId} and p.precision is not null`,
  );

type Proven = Plan & Required<Pick<Plan, 'threshold' | 'judged' | 'right'>> & { precision: number };

interface Row extends AcceptedBy {
  slug: string;
  isBroken: boolean;
}

const keyOf = ({ slug, precision }: { slug: string; precision: number }): string => JSON.stringify([slug, precision]);

/** The latest version of each rule by attribute. Inserts those whose threshold is new. */
async function currentRules(
  scope: Scope,
  tier: Job['modelType'],
  plans: readonly Proven[],
  breaks: Evidence['breaks'],
): Promise<Map<string, AcceptedBy>> {
  const lineOf = ({ isPooled, slug, ...plan }: Proven) => ({ ...plan, slug: isPooled ? POOL : slug });
  const lines = new Map(plans.map(lineOf).map((line) => [keyOf(line), line]));
  let rows = await readLatest(scope, tier, [...lines.values()]);
  const known = new Map(rows.map((row) => [keyOf(row), row]));
  const changed = [...lines].flatMap(([key, { slug, precision, threshold, judged, right }]) => {
    const latest = known.get(key);
    if (latest && !latest.isBroken && latest.threshold === threshold) return [];
    return [{ slug, precision, threshold, judged, right, version: (latest?.version ?? 0) + 1 }];
  });
  if (changed.length > 0) {
    // A later break waits for the commit. An earlier one that the evidence does not contain permits no new version.
    await lockNameShared(scope.em, rulesLock(scope));
    const currentBreaks = await readBreaks(scope, tier);
    await insertVersions(
      scope,
      tier,
      changed.filter(({ slug }) => currentBreaks.get(slug) === breaks.get(slug)),
    );
    // Another job may have inserted the same version at the same time. Its rule applies then.
    rows = await readLatest(scope, tier, [...lines.values()]);
  }
  const current = new Map(rows.filter(({ isBroken }) => !isBroken).map((row) => [keyOf(row), row]));
  return new Map(
    plans.flatMap((plan) => {
      const row = current.get(keyOf(lineOf(plan)));
      if (!row) return [];
      const { ruleId, version, precision, threshold } = row;
      return [[plan.slug, { ruleId, version, precision, threshold }] as const];
    }),
  );
}

const readLatest = ({ em, organizationId }: Scope, tier: Job['modelType'], lines: readonly { slug: string; precision: number }[]) =>
  queryPrepared(
    em,
    sql<Row>`select r.id as "ruleId", l.slug, r.version, r.precision, r.threshold, r.broken_at is not null as "isBroken"
           from jsonb_to_recordset(${JSON.stringify(lines.map(({ slug, precision }) => ({ slug, precision })))}::jsonb)
             as l (slug text, precision float8)
          cross join lateral (select * from catalog.acceptance_rules
            where organization_id = ${organizationId} and tier = ${tier} and slug = l.slug and precision = l.precision
            order by version desc limit 1) r`,
  );

interface NewVersion {
  slug: string;
  precision: number;
  threshold: number;
  judged: number;
  right: number;
  version: number;
}

/** The order of the rows is that of the locks. */
const insertVersions = ({ em, organizationId }: Scope, tier: Job['modelType'], versions: readonly NewVersion[]) =>
  queryPrepared(
    em,
    sql`insert into catalog.acceptance_rules (id, organization_id, tier, slug, precision, version, threshold, judged, "right")
        select gen_random_uuid(), ${organizationId}, ${tier}, v.slug, v.precision, v.version, v.threshold, v.judged, v."right"
          from jsonb_to_recordset(${JSON.stringify(versions)}::jsonb)
            as v (slug text, precision float8, version integer, threshold smallint, judged integer, "right" integer)
         order by v.slug, v.precision
        on conflict do nothing`,
  );

/** Values of one transaction, which locks their products. */
const MAX_UNDONE = 1_000;

@ObjectType({ description: 'Values that went back into the review queue.' })
export class UndoneAcceptances extends output({
  undone: field(Int, `The number of values, at most ${MAX_UNDONE}.`),
  hasMore: field(Boolean, 'Whether more values may remain. Repeat the call until it is false.'),
}) {}

/**
 * Puts values that rules accepted back into the review queue, in one transaction. Values that a person or a later job changed since stay as they
 * are. Throws `NOT_FOUND` with `missingIds` for unknown rules.
 */
export async function undoAcceptances(scope: RequestScope, ruleIds: string[], since: Date | null): Promise<UndoneAcceptances> {
  await requireAll(ruleIds, 'Rule', (ids) => readRows(scope, AcceptanceRule, { columns: ['id'], where: { id: ids } }));
  return transaction(scope, async ({ em, organizationId }) => {
    const isHeld = () => sql`r.organization_id = ${organizationId} and r.rule_id = any(${ruleIds}::uuid[])
                 and (${since}::timestamptz is null or r.reviewed_at > ${since}::timestamptz)
                 and p.id = r.product_id and p.organization_id = r.organization_id
                 and p.provenance -> r.slug ->> 'itemId' = r.item_id::text and p.provenance -> r.slug ? 'acceptedBy'`;
    const [result] = await query(
      em,
      sql<UndoneAcceptances>`with chosen as materialized (
              select r.item_id, r.slug from catalog.proposals r, catalog.products p where ${isHeld()} limit ${MAX_UNDONE}::int
            ), held as materialized (
              -- Checks the values again after it has waited for the locks.
              select r.item_id, r.slug, r.product_id
                from chosen c join catalog.proposals r on r.item_id = c.item_id and r.slug = c.slug, catalog.products p
               where ${isHeld()} order by p.id for update of p
            ), cleared as (
              update catalog.products p set updated_at = now(), provenance = p.provenance || (
                       select jsonb_object_agg(s, (p.provenance -> s) - 'acceptedBy') from unnest(h.slugs) s)
                from (select product_id, array_agg(slug) as slugs from held group by product_id) h
               where p.id = h.product_id and p.organization_id = ${organizationId}
            ), opened as (
              update catalog.proposals r set verdict = null, reviewed_at = null, rule_id = null from held h
               where r.item_id = h.item_id and r.slug = h.slug and r.organization_id = ${organizationId} and r.rule_id is not null returning 1
            ), marked as (
              update catalog.acceptance_rules set undone_at = now()
               where organization_id = ${organizationId} and id = any(${ruleIds}::uuid[])
                 and (select count(*) from chosen) < ${MAX_UNDONE}::int
            )
            select (select count(*) from opened)::int as undone, (select count(*) from chosen) = ${MAX_UNDONE}::int as "hasMore"`,
    );
    return result!;
  });
}

/** Points of one unit of log-odds, and of two readings that agree. */
const [CONFIDENCE, NEIGHBORS, AGREEMENT] = [7, 5, 10];
/** A model that states certainty is not certain. */
const MAX_CONFIDENCE = 0.98;

type Signals = Pick<Provenance, 'confidence' | 'statedConfidence' | 'agreed'>;

/**
 * Ranks a value by how likely it is right, 0 to 100: 50 + 7 ln(c / (1 - c)) + 5 ln((same + 1) / (other + 1)) ± 10.
 *
 * - `c` is the stated confidence, which the evidence already lowers: an invented quote to at most 50 %, a value that no source contains to 20 %.
 * - `same` and `other` count the similar products that have the same value and another one.
 * - The last term applies if the sources were read twice: + if both readings agree.
 *
 * The weights are those of a logistic regression on one example set, rounded. The score ranks values; rules measure how often they are right.
 */
export function scoreOf(
  { confidence, statedConfidence = confidence, agreed }: Signals,
  value: AttributeContent,
  neighbors: readonly unknown[],
): number {
  if (value === null || confidence === 0) return 0;
  const chance = Math.min(MAX_CONFIDENCE, Math.max(1 - MAX_CONFIDENCE, statedConfidence / 100));
  const folded = fold(value);
  const same = neighbors.filter((each) => fold(each) === folded).length;
  const readings = agreed === undefined ? 0 : agreed ? AGREEMENT : -AGREEMENT;
  const points =
    CONFIDENCE * Math.log(chance / (1 - chance)) + NEIGHBORS * Math.log((same + 1) / (neighbors.length - same + 1)) + readings;
  return Math.round(Math.min(100, Math.max(0, 50 + points)));
}

/** Case and spaces do not matter. */
const fold = (value: unknown): string => JSON.stringify(value).normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim();

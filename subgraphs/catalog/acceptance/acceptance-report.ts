import { Float, Int, ObjectType } from 'type-graphql';
import { query, queryPrepared, sql } from '../../../platform/database/index.ts';
import { field, list, output } from '../../../platform/fields/index.ts';
import { listPage, PageOf, type PageRequest } from '../../../platform/lists/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import { type EnumValue, enums } from '../../../schema/enums.ts';
import { Proposal } from '../review/entity.ts';
import { readWanted } from './accept-values.ts';
import { type Evidence, type Plan, readEvidence, sizeOf } from './acceptance-plan.ts';
import { AcceptanceRule, IS_JUDGED, POOL } from './entity.ts';
import { readUnjudged } from './rule-audit.ts';

/** The precisions of the curve. */
const PRECISIONS = [0.8, 0.85, 0.9, 0.92, 0.94, 0.95, 0.96, 0.97, 0.98, 0.99];
const MAX_ATTRIBUTES = 200;

@ObjectType({ description: 'The open values that rules of one precision would accept.' })
class CoveragePoint extends output({
  precision: field(Float, 'The wanted share of right values, 0 to 1.'),
  accepted: field(Int, 'Open values that the rules would accept. A share of them is audited.'),
  remaining: field(Int, 'Open values that would wait for a person.'),
}) {}

@ObjectType({ description: 'The rule that an attribute would follow at one precision.' })
class AttributeCoverage extends output({
  slug: field(String, 'The slug of the attribute.'),
  open: field(Int, 'Open values.'),
  accepted: field(Int, 'Open values that the rule would accept.'),
  judged: field(Int, 'Judged values of the attribute that count as evidence.'),
  threshold: field(Int, { nullable: true, description: 'The lowest score that the rule accepts. Null if nothing is accepted.' }),
  isPooled: field(Boolean, 'Whether the judged values of all attributes with few of them count together.'),
  reviewsNeeded: field(Int, {
    nullable: true,
    description: 'How many more values people must judge. 0 if values are accepted; null if they are too often wrong.',
  }),
}) {}

@ObjectType({ description: 'How many open values rules would accept at several precisions.' })
export class AcceptanceReport extends output({
  open: field(Int, 'Open values of the tier.'),
  curve: list(CoveragePoint, { assumedSize: PRECISIONS.length, description: 'Lowest precision first.' }),
  attributes: list(AttributeCoverage, {
    assumedSize: MAX_ATTRIBUTES,
    description: `At the given precision: the attributes with the most open values, at most ${MAX_ATTRIBUTES}.`,
  }),
}) {}

/** Reads stored counts only, so it takes the same time for any number of open values. */
export async function readAcceptanceReport(
  scope: Scope,
  tier: EnumValue<'ModelType'>,
  precision: number,
): Promise<AcceptanceReport> {
  const evidence = await readEvidence(scope, tier);
  const slugs = [...evidence.attributes.keys()];
  const open = slugs.reduce((sum, slug) => sum + openOf(evidence, slug), 0);
  const curve = PRECISIONS.map((each) => {
    const accepted = slugs.reduce((sum, slug) => sum + coveredBy(evidence, evidence.plan(slug, each)), 0);
    return { precision: each, accepted, remaining: open - accepted };
  });
  const attributes = slugs
    .map((slug) => ({ slug, open: openOf(evidence, slug), plan: evidence.plan(slug, precision) }))
    .sort((a, b) => b.open - a.open || a.slug.localeCompare(b.slug))
    .slice(0, MAX_ATTRIBUTES)
    .map(({ slug, open: ofSlug, plan }) => ({
      ...{ slug, open: ofSlug, accepted: coveredBy(evidence, plan), judged: plan.own, threshold: plan.threshold ?? null },
      ...{ isPooled: plan.isPooled, reviewsNeeded: plan.reviewsNeeded },
    }));
  return { open, curve, attributes };
}

const openOf = ({ attributes }: Evidence, slug: string) => sizeOf(attributes.get(slug)!.open);

const coveredBy = ({ attributes }: Evidence, { slug, threshold }: Plan) =>
  threshold === undefined ? 0 : sizeOf(attributes.get(slug)!.open.filter(({ score }) => score >= threshold));

/** Attributes whose values the order of learning compares. */
const MAX_LEARNING = 50;
/** The precision whose thresholds count where none is wanted. */
const USUAL = 0.95;

interface Learning {
  modelType?: EnumValue<'ModelType'> | null;
  precision?: number | null;
  attribute?: string | null;
  limit: number;
}

/**
 * Open values whose judgment teaches most: those nearest to the threshold of their attribute, and the highest scores of an attribute without a
 * threshold. An index reads the nearest of each attribute in both directions.
 */
export async function readMostTeaching(
  scope: Scope,
  { modelType, precision = null, attribute, limit }: Learning,
): Promise<Proposal[]> {
  const open: { evidence: Evidence; tier: string; slug: string; count: number }[] = [];
  for (const tier of modelType ? [modelType] : enums.ModelType.values) {
    const evidence = await readEvidence(scope, tier);
    for (const slug of evidence.attributes.keys()) open.push({ evidence, tier, slug, count: openOf(evidence, slug) });
  }
  const compared = open
    .filter(({ slug, count }) => count > 0 && (attribute == null || slug === attribute))
    .sort((a, b) => b.count - a.count)
    .slice(0, MAX_LEARNING);
  const slugs = [...new Set(compared.map(({ slug }) => slug))];
  const wanted = await readWanted(scope, { autoAccept: precision, attributeSetId: null }, slugs);
  const precisions = new Map(wanted.map((each) => [each.slug, each.precision]));
  const starts = compared.map(({ evidence, tier, slug }) => {
    const { threshold = 100 } = evidence.plan(slug, precision ?? precisions.get(slug) ?? USUAL);
    return { tier, slug, start: threshold };
  });
  const side = (comparison: '>=' | '<', direction: 'asc' | 'desc') =>
    sql`(select * from catalog.proposals r where organization_id = ${scope.organizationId} and tier = s.tier and slug = s.slug
          and score ${sql.raw(comparison)} s.start and verdict is null
        order by score ${sql.raw(direction)}, item_id ${sql.raw(direction)} limit ${limit}::int)`;
  return queryPrepared(
    scope.em,
    sql<Proposal>`select n.item_id as "itemId", n.slug, n.organization_id as "organizationId", n.job_id as "jobId", n.product_id as "productId",
               n.confidence, n.proposed, n.base, n.verdict, n.reviewed_at as "reviewedAt"
          from jsonb_to_recordset(${JSON.stringify(starts)}::jsonb) as s (tier text, slug text, start smallint)
         cross join lateral (${side('>=', 'asc')} union all ${side('<', 'desc')}) n
         order by abs(n.score - s.start), n.item_id, n.slug limit ${limit}::int`,
  );
}

@ObjectType({ description: 'One page of rules.' })
export class AcceptanceRulePage extends PageOf(AcceptanceRule, 'AcceptanceRulePage') {}

/** The versions of all rules, newest first. */
export const listRules = (scope: Scope, page: PageRequest) =>
  listPage(scope, AcceptanceRule, { orderBy: { createdAt: 'desc', id: 'desc' } }, page);

export const slugOf = ({ slug }: AcceptanceRule): string | null => (slug === POOL ? null : slug);

/** The number of values that a rule accepted, without those undone. Batches a page into one query. */
export async function acceptedBy(scope: RequestScope, { id }: AcceptanceRule): Promise<number> {
  const read = scope.batch('accepted values of rules', async (ids: readonly string[]) => {
    const rows = await query(
      scope.em,
      sql<{ key: string; count: number }>`select key, sum(count)::int as count from catalog.counters
           where organization_id = ${scope.organizationId} and kind = 'accepted' and key = any(${[...ids]}::text[]) group by key`,
    );
    return new Map(rows.map(({ key, count }) => [key, count]));
  });
  return (await read(id)) ?? 0;
}

interface AuditCount {
  judged: number;
  right: number;
}

/** The judged audits of a rule. Batches a page into one query. */
export async function auditOf(scope: RequestScope, { id }: AcceptanceRule): Promise<AuditCount> {
  const read = scope.batch('audits of rules', async (ids: readonly string[]) => {
    const rows = await query(
      scope.em,
      sql<
        AuditCount & { id: string }
      >`select audit_rule_id as id, count(*)::int as judged, (count(*) filter (where is_right))::int as "right"
            from catalog.confidence_labels
           where organization_id = ${scope.organizationId} and audit_rule_id = any(${[...ids]}::uuid[]) and ${IS_JUDGED} group by 1`,
    );
    return new Map(rows.map((row) => [row.id, row]));
  });
  return (await read(id)) ?? { judged: 0, right: 0 };
}

/** The audited values of a rule that nobody has judged. Batches a page into one query. */
export async function unjudgedOf(scope: RequestScope, { id }: AcceptanceRule): Promise<number> {
  return (await scope.batch('unjudged audits of rules', (ids: readonly string[]) => readUnjudged(scope, ids))(id)) ?? 0;
}

/** Values that a broken rule accepted since its audits went wrong and that nobody has put back. Batches a page into one query. */
export async function doubtfulOf(scope: RequestScope, { id, brokenAt }: AcceptanceRule): Promise<number> {
  if (brokenAt === null) return 0;
  const read = scope.batch('doubtful values of rules', async (ids: readonly string[]) => {
    const rows = await query(
      scope.em,
      sql<{ id: string; count: number }>`select t.id, count(*)::int as count from catalog.acceptance_rules t
            join catalog.proposals r on r.organization_id = t.organization_id and r.rule_id = t.id and r.reviewed_at > greatest(t.broken_since, t.undone_at)
           where t.organization_id = ${scope.organizationId} and t.id = any(${[...ids]}::uuid[]) group by t.id`,
    );
    return new Map(rows.map((row) => [row.id, row.count]));
  });
  return (await read(id)) ?? 0;
}

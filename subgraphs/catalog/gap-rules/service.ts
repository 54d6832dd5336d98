import { findById, isId, lockName, query, readRows, sql } from '../../../platform/database/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { ensureSettings } from '../acceptance/acceptance-settings.ts';
import { attributesOfJob, chooseAttributes } from '../attributes/service.ts';
import { Job } from '../jobs/entity.ts';
import { creditsFor, kindOf } from '../jobs/job-kind.ts';
import { JOB_COLUMNS } from '../jobs/service.ts';
import { GapRule } from './entity.ts';
import type { GapRuleInput, GapRun } from './types.ts';

/** Rules of an organization. */
export const MAX_RULES = 50;
/** Jobs of a rule that are listed. */
export const MAX_RUNS = 20;

/** The rules of the organization, by name. */
export const listRules = (scope: Scope): Promise<GapRule[]> =>
  readRows(scope, GapRule, { ordering: 'lower(r.name), r.id' }, { limit: MAX_RULES, offset: 0 });

/** Throws `NOT_FOUND`. */
export const findRule = ({ em }: Scope, id: string): Promise<GapRule> => findById(em, GapRule, id, 'Rule');

/** Checks the parts of a rule that the schema cannot. Throws `INVALID_INPUT` or `NOT_FOUND`. */
export async function readInput(scope: Scope, { name, autoAccept, attributeSetId, attributeIds, ...input }: GapRuleInput) {
  const { agreement, modelType, triggers } = input;
  if (agreement && modelType !== 'pro-v1') throw fail('INVALID_INPUT', 'agreement needs the modelType pro-v1');
  if (!name.trim()) throw fail('INVALID_INPUT', 'name must not be blank');
  await chooseAttributes(scope, attributeSetId, attributeIds);
  if (autoAccept) await ensureSettings(scope);
  return {
    ...input,
    name: name.trim(),
    attributeSetId: attributeSetId ?? null,
    attributeIds: attributeIds ?? null,
    autoAccept: autoAccept?.precision ?? null,
    triggers: [...new Set(triggers)],
  };
}

/** Throws `CONFLICT` if another rule has the name, and `UNPROCESSABLE` when there are too many. */
async function requireRoom({ em, organizationId }: Scope, name: string, id?: string): Promise<void> {
  await lockName(em, `gap rules of ${organizationId}`);
  const others = await query(
    em,
    sql<{ isSame: boolean }>`select lower(name) = lower(${name}) as "isSame" from catalog.gap_rules
         where organization_id = ${organizationId} and id is distinct from ${id ?? null}::uuid`,
  );
  if (others.some(({ isSame }) => isSame)) throw fail('CONFLICT', `A rule named ${name} already exists`);
  if (!id && others.length >= MAX_RULES) throw fail('UNPROCESSABLE', `An organization has at most ${MAX_RULES} rules.`);
}

/** Creates a rule, which then checks all products. */
export async function createRule(scope: RequestScope, input: GapRuleInput): Promise<GapRule> {
  const content = await readInput(scope, input);
  return scope.write(async (inner) => {
    await requireRoom(inner, content.name);
    const { organizationId } = inner;
    return inner.em.create(GapRule, { ...content, organizationId, createdById: scope.caller.userId });
  });
}

/** Replaces a rule, which then checks all products. Its jobs so far remain counted. Throws `NOT_FOUND`. */
export async function updateRule(scope: RequestScope, id: string, input: GapRuleInput): Promise<GapRule> {
  const content = await readInput(scope, input);
  return scope.write(async (inner) => {
    const rule = await findRule(inner, id);
    await requireRoom(inner, content.name, rule.id);
    await restart(inner, rule.id);
    return inner.em.assign(rule, { ...content, isScanning: true, haltedBy: null });
  });
}

/** The next check begins with the first product. */
const restart = ({ em }: Scope, id: string) =>
  query(em, sql`update catalog.gap_rules set is_scanning = true, scanned_at = null, scanned_id = null where id = ${id}`);

/** Deletes a rule. Its jobs remain. Throws `NOT_FOUND`. */
export async function deleteRule({ em }: Scope, id: string) {
  if (!isId(id) || (await em.nativeDelete(GapRule, { id })) === 0) throw fail('NOT_FOUND', 'Rule not found');
  return { id, deleted: true };
}

/** Pauses or continues a rule. One that continues checks all products. Throws `NOT_FOUND`. */
export const pauseRule = (scope: RequestScope, id: string, paused: boolean): Promise<GapRule> =>
  scope.write(async (inner) => {
    const rule = await findRule(inner, id);
    if (!paused) await restart(inner, rule.id);
    return inner.em.assign(rule, { paused, haltedBy: null, ...(!paused && { isScanning: true }) });
  });

/** Lets a rule check all products within a minute. Throws `NOT_FOUND`, and `UNPROCESSABLE` for a paused rule. */
export const runRule = (scope: RequestScope, id: string): Promise<GapRule> =>
  scope.write(async (inner) => {
    const rule = await findRule(inner, id);
    if (rule.paused) throw fail('UNPROCESSABLE', 'The rule is paused. Continue it, and it checks all products.');
    await restart(inner, rule.id);
    return inner.em.assign(rule, { isScanning: true });
  });

/** The credits for one product. */
export const priceOf = ({ modelType, agreement }: Pick<GapRule, 'modelType' | 'agreement'>, isParent: boolean): number =>
  creditsFor(kindOf('product-enrichment').prices[modelType], { agreement }, isParent);

/** The credits of the jobs of rules in this month. An open job counts with all its items. By rule, in the order of their ids. */
export async function spentOf({ em, organizationId }: Scope, rules: readonly Pick<GapRule, 'id' | 'modelType' | 'agreement'>[]) {
  const prices = rules.map((rule) => priceOf(rule, false));
  const rows = await query(
    em,
    sql<{ id: string; spent: string }>`
      select g.id, coalesce(sum(case when j.completed_at is null then j.total_count * g.price else j.cost end), 0) as spent
        from unnest(${rules.map(({ id }) => id)}::uuid[], ${prices}::numeric[]) g (id, price)
        left join catalog.jobs j on j.gap_rule_id = g.id and j.organization_id = ${organizationId}
             and j.created_at >= date_trunc('month', now(), 'UTC')
       group by 1`,
  );
  return new Map(rows.map(({ id, spent }) => [id, Number(spent)]));
}

/** Like `spentOf`, with one statement for all rules of a list. */
export const spentBy = async (scope: RequestScope, id: string): Promise<number> =>
  (await scope.batch('credits of gap rules', async (ids) =>
    spentOf(scope, await readRows(scope, GapRule, { columns: ['id', 'modelType', 'agreement'], where: { id: ids } })),
  )(id)) ?? 0;

/** The last jobs of a rule, newest first. */
export async function runsOf(scope: Scope, gapRuleId: string): Promise<GapRun[]> {
  const found = await readRows(
    scope,
    Job,
    { columns: [...JOB_COLUMNS, 'gaps'], where: { gapRuleId }, orderBy: { createdAt: 'desc', id: 'desc' } },
    { limit: MAX_RUNS, offset: 0 },
  );
  return found.map((job) => ({ job: job as Job, gaps: job.gaps ?? 0 }));
}

/** The values that the products of a job lack now. */
export async function gapsLeft(scope: Scope, job: Job): Promise<number> {
  const attributes = await attributesOfJob(scope, job).catch(() => []);
  const [left] = await query(
    scope.em,
    sql<{ gaps: number }>`
      select count(*)::int as gaps from catalog.job_items i join catalog.products r on r.id = i.product_id
       cross join unnest(${attributes.map(({ slug }) => slug)}::text[]) slug
       where i.job_id = ${job.id} and i.organization_id = ${scope.organizationId} and not r.value_keys @> array[hashtextextended(slug, 0)]`,
  );
  return left!.gaps;
}

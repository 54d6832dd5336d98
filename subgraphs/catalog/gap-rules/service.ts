import { deleteById, findById, lockName, query, readRows, sql } from '../../../platform/database/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { ensureSettings } from '../acceptance/entity.ts';
import { chooseAttributes } from '../attributes/service.ts';
import { Job } from '../jobs/entity.ts';
import { creditsFor, kindOf } from '../jobs/job-kind.ts';
import { JOB_COLUMNS } from '../jobs/service.ts';
import { GapRule, type GapRuleInput, type GapRun } from './entity.ts';

/** Rules of an organization. */
export const MAX_RULES = 50;
/** Jobs of a rule that are listed. */
export const MAX_RUNS = 5;

/** The rules of the organization, by name. */
export const listRules = (scope: Scope): Promise<GapRule[]> =>
  readRows(scope, GapRule, { ordering: 'lower(r.name), r.id' }, { limit: MAX_RULES, offset: 0 });

/** Throws `NOT_FOUND`. */
export const findRule = ({ em }: Scope, id: string): Promise<GapRule> => findById(em, GapRule, id, 'Rule');

/** Checks the parts of a rule that the schema cannot. Throws `INVALID_INPUT` or `NOT_FOUND`. */
export async function readInput(scope: Scope, { name, autoAccept, attributeSetId, attributeIds, ...input }: GapRuleInput) {
  const { agreement, modelType, triggers } = input;
  if (agreement && modelType !== 'pro-v1') throw fail('INVALID_INPUT', 'agreement needs the modelType pro-v1');
  const price = priceOf(input, false);
  if (input.maxCredits < price) throw fail('INVALID_INPUT', `maxCredits must pay for one product, which costs ${price}`);
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
  if (others.some(({ isSame }) => isSame)) throw fail('CONFLICT', `A rule named ${name} already exists.`);
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

/**
 * Replaces a rule, which then checks all products, unless a person paused it. Its jobs so far remain counted. Throws `NOT_FOUND`.
 */
export async function updateRule(scope: RequestScope, id: string, input: GapRuleInput): Promise<GapRule> {
  const content = await readInput(scope, input);
  return scope.write(async (inner) => {
    const rule = await findRule(inner, id);
    await requireRoom(inner, content.name, rule.id);
    await restart(inner, rule.id);
    const paused = rule.paused && rule.haltedBy === null;
    return inner.em.assign(rule, { ...content, isScanning: true, paused, haltedBy: null });
  });
}

/** The next check begins with the first product. */
const restart = ({ em }: Scope, id: string) =>
  query(em, sql`update catalog.gap_rules set is_scanning = true, scanned_at = null, scanned_id = null where id = ${id}`);

/** Deletes a rule. Its jobs remain. Throws `NOT_FOUND`. */
export const deleteRule = (scope: RequestScope, id: string) => scope.write(({ em }) => deleteById(em, GapRule, id, 'Rule'));

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

const MODELS = ['budget-v1', 'pro-v1'] as const;
/** The price of a product by model and agreement. */
const PRICES = MODELS.flatMap((modelType) => [false, true].map((agreement) => ({ modelType, agreement })));

/**
 * The credits of the jobs of rules in this month, by rule. An open job counts with all its items. `reserved` are the credits that the open items
 * of all rules of the organization need.
 */
export async function spentOf({ em, organizationId }: Scope, ruleIds: readonly string[]) {
  const rows = await query(
    em,
    sql<{ id: string; spent: string; reserved: string }>`
      select j.gap_rule_id as id,
             coalesce(sum(case when j.processed_count < j.total_count then j.total_count * p.price else j.cost end)
                        filter (where j.created_at >= date_trunc('month', now(), 'UTC')), 0) as spent,
             coalesce(sum((j.total_count - j.processed_count) * p.price) filter (where j.completed_at is null), 0) as reserved
        from catalog.gap_rules g join catalog.jobs j on j.gap_rule_id = g.id
        join unnest(${PRICES.map(({ modelType }) => modelType)}::text[], ${PRICES.map(({ agreement }) => agreement)}::boolean[],
                    ${PRICES.map((each) => priceOf(each, false))}::numeric[]) p (model, agreement, price)
          on p.model = j.model_type and p.agreement = j.agreement
       where g.organization_id = ${organizationId} and (j.completed_at is null or j.created_at >= date_trunc('month', now(), 'UTC'))
       group by 1`,
  );
  const wanted = rows.filter(({ id }) => ruleIds.includes(id));
  return {
    spent: new Map(wanted.map(({ id, spent }) => [id, Number(spent)])),
    reserved: rows.reduce((sum, row) => sum + Number(row.reserved), 0),
  };
}

/** Like `spentOf`, with one statement for all rules of a list. */
export const spentBy = async (scope: RequestScope, id: string): Promise<number> =>
  (await scope.batch('credits of gap rules', async (ids) => (await spentOf(scope, ids)).spent)(id)) ?? 0;

/** The last jobs of a rule, newest first, with one statement for all rules of a list. */
export async function runsOf(scope: RequestScope, id: string): Promise<GapRun[]> {
  const read = scope.batch('jobs of gap rules', async (ids) => {
    const found = await readRows(scope, Job, {
      columns: [...JOB_COLUMNS, 'gapRuleId', 'gaps', 'gapsLeft'],
      matching: (bind) => `r.id = any(array(
        select j.id from unnest(${bind(ids)}::uuid[]) g (id)
         cross join lateral (
           select id from catalog.jobs where gap_rule_id = g.id order by created_at desc, id desc limit ${MAX_RUNS}) j))`,
      orderBy: { createdAt: 'desc', id: 'desc' },
    });
    const runs = found.map((job) => ({ rule: job.gapRuleId, job: job as Job, gaps: job.gaps ?? 0, gapsLeft: job.gapsLeft }));
    return Map.groupBy(runs, ({ rule }) => rule!);
  });
  return (await read(id)) ?? [];
}

import type { Pool } from 'pg';
import { Arg, Args, Authorized, Ctx, FieldResolver, Int, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { balanceOf } from '../../../platform/credits/index.ts';
import { clock, query, readRows, sql } from '../../../platform/database/index.ts';
import { field, Id, output } from '../../../platform/fields/index.ts';
import { Access, CreditUsageDay } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import { type EnumValue, enums } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { listAttributes } from '../attributes/service.ts';
import { foldGroups } from '../completeness/fold-groups.ts';
import { Job } from '../jobs/entity.ts';
import { creditsFor, kindOf } from '../jobs/job-kind.ts';
import { findJob } from '../jobs/service.ts';
import { BrandSummary, CategorySummary } from '../labels/entity.ts';
import { IS_NAMED, listLabels } from '../labels/summaries.ts';
import { Product } from '../products/entity.ts';
import { requireProducts } from '../products/job-items.ts';
import { ProductCount } from '../products/product-counts.ts';
import { requireFiles } from '../uploads/service.ts';
import {
  AttributeStats,
  CatalogStats,
  Counter,
  type CounterKind,
  CreditUsage,
  CreditUsageArguments,
  CreditUsageRow,
  JobEstimate,
  JobEstimateArguments,
  JobStats,
} from './entity.ts';

const MAX_JOBS = 100;

const TOP = 10;
const largest = { page: 1, limit: TOP, search: '', sortBy: 'productCount', sortOrder: 'desc' } as const;

@Resolver(() => CatalogStats)
export class CatalogStatsResolver {
  @Authorized('member')
  @Query(() => CatalogStats, { description: 'Counts of the catalog of the organization.' })
  async catalogStats(@Ctx() scope: RequestScope): Promise<CatalogStats> {
    const counts = await readRows(scope, ProductCount, { where: { archived: false } });
    const sumOf = (rows: ProductCount[]) => rows.reduce((sum, { count }) => sum + count, 0);
    return {
      products: sumOf(counts),
      enriched: sumOf(counts.filter(({ enriched }) => enriched)),
      parents: sumOf(counts.filter(({ isParent }) => isParent)),
    };
  }

  @ListSize(TOP)
  @FieldResolver(() => [BrandSummary], { description: 'The ten brands with the most products.' })
  async brands(@Ctx() scope: RequestScope) {
    return (await listLabels(scope, 'brand', largest)).nodes;
  }

  @ListSize(TOP)
  @FieldResolver(() => [CategorySummary], { description: 'The ten categories with the most products.' })
  async categories(@Ctx() scope: RequestScope) {
    return (await listLabels(scope, 'category', largest, [IS_NAMED])).nodes;
  }

  @ListSize(50)
  @FieldResolver(() => [AttributeStats], { description: 'All product attributes, sorted by name.' })
  async attributes(@Ctx() scope: RequestScope, @Root() { products }: CatalogStats): Promise<AttributeStats[]> {
    const attributes = await listAttributes(scope, 'product');
    const slugs = attributes.map(({ slug }) => slug);
    const kinds = ['value', 'confidence', 'review'] as const;
    const [values, confidences, open] = await Promise.all(kinds.map((kind) => countersOf(scope, kind, slugs)));
    return attributes.map((attribute) => {
      const filled = values!.get(attribute.slug)?.count ?? 0;
      const { count, sum } = confidences!.get(attribute.slug) ?? { count: 0, sum: 0 };
      const meanConfidence = count > 0 ? sum / count : null;
      return {
        attribute,
        filled,
        fillRate: products > 0 ? filled / products : 0,
        meanConfidence,
        unreviewed: open!.get(attribute.slug)?.count ?? 0,
      };
    });
  }
}

@Resolver(() => CreditUsage)
export class CreditUsageResolver {
  /** Throws `INVALID_INPUT` for a period that is too long or ends before it starts. */
  @Authorized('member')
  @Query(() => CreditUsage, { description: 'The credits that jobs, chats and knowledge sources used in a period.' })
  async creditUsage(
    @Ctx() scope: RequestScope,
    @Args(() => CreditUsageArguments) { by, since, until }: CreditUsageArguments,
  ): Promise<CreditUsage> {
    const end = until ?? clock.now();
    const start = since ?? new Date(end.getTime() - 30 * DAY);
    const isDated = (time: Date) => time.getUTCFullYear() >= 1 && time.getUTCFullYear() <= 9999;
    if (!isDated(start) || !isDated(end)) throw fail('INVALID_INPUT', 'the period must be in the years 1 to 9999');
    if (end < start || end.getTime() - start.getTime() > MAX_DAYS * DAY)
      throw fail('INVALID_INPUT', `the period must be at most ${MAX_DAYS} days and must not end before it starts`);
    const [first, last] = [dayOf(start), dayOf(end)];
    const days = await readRows(scope, CreditUsageDay, {
      matching: (bind) => `r.day between ${bind(first)}::date and ${bind(last)}::date`,
      joined: { name: 'r.day::text' },
      orderBy: { day: 'asc', kind: 'asc' },
    });
    const total = days.reduce((sum, { credits }) => sum + credits, 0);
    if (by === 'job') return { total, rows: await jobUsage(scope, first, last) };
    const groups = Map.groupBy(days as (CreditUsageDay & { name: string })[], (each) => (by === 'day' ? each.name : each.kind));
    const rows = [...groups].map(([key, each]) => ({ [by]: key, credits: each.reduce((sum, { credits }) => sum + credits, 0) }));
    return { total, rows };
  }

  @ListSize(MAX_JOBS)
  @FieldResolver(() => [CreditUsageRow], {
    description: 'Oldest day first, or by kind, or the 100 most expensive jobs that were created in the period.',
  })
  rows(@Root() { rows }: CreditUsage) {
    return rows;
  }
}

@Access('member')
@Resolver()
export class StatsResolver {
  @ListSize(48)
  @Query(() => [JobStats], { description: 'The number of jobs of each kind and status. Zeros are omitted.' })
  async jobStats(@Ctx() scope: RequestScope): Promise<JobStats[]> {
    const counts = await countersOf(scope, 'job');
    const all = enums.JobKind.values.flatMap((kind) => enums.JobStatus.values.map((status) => ({ kind, status })));
    return all.flatMap(({ kind, status }) => {
      const count = counts.get(`${kind} ${status}`)?.count ?? 0;
      return count > 0 ? [{ kind, status, count }] : [];
    });
  }

  @Query(() => Int, { description: 'The number of values that nobody has reviewed yet.' })
  reviewCount(
    @Ctx() scope: RequestScope,
    @Arg('attribute', () => String, { nullable: true, description: 'The slug of an attribute.' }) attribute?: string | null,
  ) {
    return reviewCount(scope, attribute);
  }

  /** Throws `NOT_FOUND` with `missingIds` for unknown products and files. */
  @Query(() => JobEstimate, { description: 'The maximum cost of a job. Starts nothing.' })
  async jobEstimate(
    @Ctx() scope: RequestScope,
    @Args(() => JobEstimateArguments) { kind, modelType, rows, agreement, ...ids }: JobEstimateArguments,
  ): Promise<JobEstimate> {
    const productIds = await requireProducts(scope, ids.productIds ?? []);
    const pages = await pagesOf(scope, await requireFiles(scope, ids.uploadedFileIds ?? []));
    const items = kind === 'ai-import' ? pages : productIds.length + rows;
    return costOf(scope, { kind, modelType, agreement, items }, () => parentsAmong(scope, productIds));
  }

  /** The maximum cost of repeating a job on a tier. Throws `NOT_FOUND`. */
  @Query(() => JobEstimate, { nullable: true, description: 'The maximum cost of repeating a job. Starts nothing.' })
  async rerunEstimate(
    @Ctx() scope: RequestScope,
    @Id('jobId') jobId: string,
    @Arg('modelType', () => enumTypes.ModelType) modelType: EnumValue<'ModelType'>,
  ): Promise<JobEstimate> {
    const { id, kind, totalCount: items, agreement } = await findJob(scope, jobId);
    const ofTier = { kind, modelType, agreement: agreement && modelType === 'pro-v1', items };
    return costOf(scope, ofTier, async () => {
      const text = `select count(*)::int as n from catalog.job_items i join catalog.products p on p.id = i.product_id and p.is_parent
                     where i.job_id = $1 and i.organization_id = $2`;
      const statement = { name: 'parents of a job', text, values: [id, scope.organizationId] };
      return (await scope.services.statements.run<{ n: number }>(statement, scope.signal, scope.budget)).rows[0]!.n;
    });
  }
}

@ObjectType({ description: 'The first steps that an organization has taken with its catalog.' })
class FirstSteps extends output({
  attributes: field(Boolean, 'It has attributes of products.'),
  products: field(Boolean, 'It has products, or has imported a file.'),
  enrichment: field(Boolean, 'It has started an enrichment of products.'),
  review: field(Boolean, 'A member has reviewed or edited a value that a job wrote.'),
}) {}

@Resolver()
export class FirstStepsResolver {
  @Authorized('member')
  @Query(() => FirstSteps, { description: 'The first steps of the organization with its catalog.' })
  async firstSteps(@Ctx() { em, organizationId }: RequestScope): Promise<FirstSteps> {
    const [steps] = await query(
      em,
      sql<FirstSteps>`select
           exists (select from catalog.attributes where organization_id = ${organizationId} and subject = 'product') as attributes,
           exists (select from catalog.products where organization_id = ${organizationId})
             or exists (select from catalog.jobs where organization_id = ${organizationId} and kind = 'ai-import') as products,
           exists (select from catalog.jobs where organization_id = ${organizationId} and kind = 'product-enrichment') as enrichment,
           exists (select from catalog.confidence_labels where organization_id = ${organizationId} and kind <> 'validation') as review`,
    );
    return steps!;
  }
}

/** The number of values that nobody has reviewed yet. */
export async function reviewCount(scope: Scope, attribute?: string | null): Promise<number> {
  const counts = await countersOf(scope, 'review', attribute == null ? undefined : [attribute]);
  return [...counts.values()].reduce((sum, { count }) => sum + count, 0);
}

const DAY = 86_400_000;
const MAX_DAYS = 366;
const dayOf = (time: Date) => time.toISOString().slice(0, 10);

/** The jobs that were created in the period, most expensive first. */
async function jobUsage(scope: Scope, first: string, last: string) {
  const jobs = await readRows(
    scope,
    Job,
    {
      matching: (bind) => `r.created_at >= ${bind(first)}::date at time zone 'UTC'
        and r.created_at < (${bind(last)}::date + 1) at time zone 'UTC' and r.cost > 0`,
      orderBy: { cost: 'desc', id: 'desc' },
    },
    { limit: MAX_JOBS, offset: 0 },
  );
  return jobs.map((job) => ({ job, credits: job.cost }));
}

const PARENT = ['id', 'isParent'] as const;

interface Priced {
  kind: EnumValue<'JobKind'>;
  modelType: EnumValue<'ModelType'>;
  agreement: boolean;
  items: number;
}

async function costOf(
  scope: Scope,
  { kind, modelType, agreement, items }: Priced,
  countParents: () => Promise<number>,
): Promise<JobEstimate> {
  const price = kindOf(kind).prices[modelType];
  const [full, parent] = [creditsFor(price, { agreement }, false), creditsFor(price, { agreement }, true)];
  const parents = parent === full || items === 0 ? 0 : await countParents();
  const credits = (items - parents) * full + parents * parent;
  const balance = await balanceOf(scope);
  return { items, credits, balance, isCovered: !scope.services.requireCredits || balance >= credits };
}

async function parentsAmong(scope: Scope, ids: string[]): Promise<number> {
  if (ids.length === 0) return 0;
  return (await readRows(scope, Product, { columns: PARENT, where: { id: ids, isParent: true } })).length;
}

async function pagesOf({ em }: Scope, fileIds: string[]): Promise<number> {
  if (fileIds.length === 0) return 0;
  const [found] = await query(
    em,
    sql<{ n: number }>`select count(*)::int as n from catalog.file_pages where file_id = any(${fileIds}::uuid[])`,
  );
  return found!.n;
}

const COLUMNS = ['key', 'count', 'sum'] as const;

interface Count {
  count: number;
  sum: number;
}

/** The counters of a kind by key. At most 16 rows per key are read. */
async function countersOf(scope: Scope, kind: CounterKind, keys?: string[]): Promise<Map<string, Count>> {
  const counts = new Map<string, Count>();
  for (const { key, count, sum } of await readRows(scope, Counter, {
    columns: COLUMNS,
    where: { kind, ...(keys && { key: keys }) },
  })) {
    const known = counts.get(key) ?? { count: 0, sum: 0 };
    counts.set(key, { count: known.count + count, sum: known.sum + sum });
  }
  return counts;
}

/** Rows of a statement, and milliseconds of a sweep. The next sweep continues. */
const [BATCH, SWEEP_MS] = [2_000, 50_000];

/**
 * SQL that adds slots of counters up in slot 0. Only this statement writes that slot, and it skips what a transaction is changing, so it waits for no writer. A
 * reader sees the slots before or after it.
 */
const FOLD = `
  with chosen as (
    select organization_id, kind, key, slot from catalog.counters where slot > 0 order by organization_id, kind, key limit ${BATCH} for update skip locked),
  gone as (
    delete from catalog.counters c using chosen o
     where (c.organization_id, c.kind, c.key, c.slot) = (o.organization_id, o.kind, o.key, o.slot) returning c.*),
  folded as (
    insert into catalog.counters as c (organization_id, kind, key, slot, count, sum)
    select organization_id, kind, key, 0, sum(count), sum(sum) from gone
     where exists (select 1 from identity.organizations o where o.id = organization_id) group by organization_id, kind, key order by 1, 2, 3
    on conflict (organization_id, kind, key, slot) do update set count = c.count + excluded.count, sum = c.sum + excluded.sum)
  select count(*)::int as count from gone`;

/** Adds the slots of stored counts up, so that their readers read one row of each. Safe to run concurrently. */
export async function foldSlots(pool: Pool): Promise<void> {
  const end = performance.now() + SWEEP_MS;
  let count = BATCH;
  while (count === BATCH && performance.now() < end) count = (await pool.query<{ count: number }>(FOLD)).rows[0]!.count;
  await foldGroups(pool, end);
}

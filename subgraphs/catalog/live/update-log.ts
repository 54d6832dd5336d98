import type { EventStream } from 'compiled-gateway/event-stream';
import type { Pool } from 'pg';
import { Arg, Authorized, Ctx, FieldResolver, Float, Int, ObjectType, Resolver, Root, Subscription } from 'type-graphql';
import { balanceOf } from '../../../platform/credits/index.ts';
import {
  clock,
  columns,
  hidden,
  maintainPartitions,
  type PartitionedTable,
  readRows,
  Table,
  Tenant,
} from '../../../platform/database/index.ts';
import { field, output } from '../../../platform/fields/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import {
  AFTER,
  type Change,
  type ChangeLog,
  followChanges,
  PAGE_SIZE,
  SNAPSHOT,
  withRetry,
} from '../../../platform/progress/index.ts';
import { detached, type RequestScope, type Scope } from '../../../platform/scope/index.ts';
import { Job } from '../jobs/entity.ts';
import { readOnce } from '../jobs/job-progress.ts';
import { reviewCount } from '../stats/service.ts';

/** The latest ended jobs in a snapshot. A client that was away does not know that they ended. */
const ENDED_JOBS = 50;

/** Assumed by the cost of an operation; the budget of the response counts the real number. */
const USUAL_JOBS = 20;

@Resolver(() => OrganizationUpdate)
export class OrganizationUpdateResolver {
  @Authorized('member')
  @Subscription(() => OrganizationUpdate, {
    description:
      'All changes of the jobs, credits and reviews of the organization, in order. A client that reconnects with the last `sequence` misses no change. Changes are stored for 30 days.',
    subscribe: ({ context, args }) => followOrganization(context as RequestScope, args.after),
  })
  jobsChanged(
    @Root() update: OrganizationUpdate,
    @Arg('after', () => Int, { nullable: true, description: AFTER }) _after?: number | null,
  ): OrganizationUpdate {
    return update;
  }

  // All subscribers of an organization share the update object.
  @ListSize(USUAL_JOBS)
  @FieldResolver(() => [Job], {
    description: `The jobs that changed, in their current state. In a snapshot, the open jobs and the ${ENDED_JOBS} that ended last. At most 500.`,
  })
  jobs(@Ctx() scope: RequestScope, @Root() update: OrganizationUpdate) {
    if (update.jobIds.length === 0) return [];
    return readOnce(scope, update, 'jobs', (detached) =>
      readRows(detached, Job, { where: { id: update.jobIds }, orderBy: { createdAt: 'desc', id: 'desc' } }),
    );
  }

  @FieldResolver(() => Float, { description: 'Current balance.' })
  credits(@Ctx() scope: RequestScope, @Root() update: OrganizationUpdate) {
    return readOnce(scope, update, 'credits', balanceOf);
  }

  @FieldResolver(() => Int, { description: 'The number of values that nobody has reviewed yet.' })
  reviewCount(@Ctx() scope: RequestScope, @Root() update: OrganizationUpdate) {
    return readOnce(scope, update, 'review count', (detached) => reviewCount(detached));
  }
}

/** One change of a job, of the credits or of the review queue of an organization. Triggers write them in the order of their commits. */
@Table('catalog.organization_changes')
@Tenant()
export class OrganizationChangeRow extends columns({
  organizationId: hidden('uuid', { primary: true }),
  sequence: hidden('count', { primary: true }),
  jobId: hidden('uuid', { nullable: true }),
  at: hidden('datetime'),
}) {}

@ObjectType({
  description: 'One or more consecutive changes of the jobs, credits or reviews of an organization, or their current state.',
})
class OrganizationUpdate extends output({
  sequence: field(Int, 'Number of the last change in this update. Pass it as `after` to resume from here.'),
  isSnapshot: field(Boolean, SNAPSHOT),
  at: field(Date, 'Time of the last change in this update.'),
}) {
  jobIds!: string[];
}

type Numbered = OrganizationChangeRow & Change;
type Update = OrganizationUpdate & Change;

const OPEN = { status: '' };

/** The row may not exist yet. Other processes may have watched the organization already. */
const WATCH = `
  insert into catalog.organization_sequences as s (organization_id, sequence, tx, watched_until)
  select id, 0, pg_current_xact_id(), now() + interval '15 minutes' from identity.organizations where id = $1
  on conflict (organization_id) do update set watched_until = excluded.watched_until
   where coalesce(s.watched_until < now() + interval '10 minutes', true)`;
const LATEST = 'select sequence::float8 from catalog.organization_sequences where organization_id = $1';

/** One page of the changes after `after`, up to and including `upTo`, in order. */
async function readChanges(scope: Scope, _id: string, after: number, upTo?: number): Promise<Numbered[]> {
  const rows = await readRows(
    scope,
    OrganizationChangeRow,
    {
      matching: (bind) => `r.sequence > ${bind(after)}${upTo === undefined ? '' : ` and r.sequence <= ${bind(upTo)}`}`,
      orderBy: { sequence: 'asc' },
    },
    { limit: PAGE_SIZE, offset: 0 },
  );
  return rows.map((change) => ({ ...change, ...OPEN }));
}

/** The numbers of an organization have no gaps, so a missing next change has expired, and earlier ones may have, too. */
async function retainsChanges(scope: Scope, _id: string, after: number): Promise<boolean> {
  const next = { columns: ['sequence'], where: { sequence: after + 1 } } as const;
  return (await readRows(scope, OrganizationChangeRow, next, { limit: 1, offset: 0 })).length > 0;
}

/** Merges consecutive changes into one update. */
function* mergeChanges(changes: Numbered[]): Generator<Update> {
  const last = changes.at(-1);
  if (!last) return;
  const jobIds = [...new Set(changes.flatMap(({ jobId }) => jobId ?? []))];
  yield { sequence: last.sequence, at: last.at, jobIds, isSnapshot: false, ...OPEN };
}

const organizationLog: ChangeLog<Numbered, Update> = {
  channel: 'organization_changes',
  async watch({ services, organizationId }) {
    await services.pool.query(WATCH, [organizationId]);
  },
  read: readChanges,
  retains: retainsChanges,
  merge: mergeChanges,
  isEnded: () => false,
  hasEnded: async () => false,
};

const OPEN_JOBS = PAGE_SIZE - ENDED_JOBS;
const ID_COLUMN = ['id'] as const;

async function* snapshotOf(scope: Scope, sequence: number): AsyncGenerator<Update, void, void> {
  const newest = { createdAt: 'desc', id: 'desc' } as const;
  const open = { columns: ID_COLUMN, where: { status: ['pending', 'processing'] as Job['status'][] }, orderBy: newest };
  const ended = { columns: ID_COLUMN, matching: () => 'r.completed_at is not null', orderBy: { completedAt: 'desc' } } as const;
  const jobs = await withRetry(async () => [
    ...(await readRows(scope, Job, open, { limit: OPEN_JOBS, offset: 0 })),
    ...(await readRows(scope, Job, ended, { limit: ENDED_JOBS, offset: 0 })),
  ]);
  yield { sequence, at: clock.now(), jobIds: jobs.map(({ id }) => id), isSnapshot: true, ...OPEN };
}

/** Streams the changes of the organization after the given one. A subscriber that cannot resume first receives the current state. */
export async function followOrganization(
  scope: RequestScope,
  after: number | null | undefined,
): Promise<EventStream<OrganizationUpdate>> {
  const { organizationId: id, services } = scope;
  // The latest change may have expired.
  const { rows } = await services.pool.query<{ sequence: number }>(LATEST, [id]);
  const sequence = rows[0]?.sequence ?? 0;
  return followChanges(organizationLog, scope, { id, sequence, after, snapshot: () => snapshotOf(detached(scope), sequence) });
}

/** The logs that subscribers follow. They can resume for 30 days. */
export const changeLogs: readonly PartitionedTable[] = [
  { name: 'catalog.job_changes', days: 30 },
  { name: 'catalog.organization_changes', days: 30 },
];

/** Drop the weeks whose changes are too old, and prepare the next ones. Returns the number of dropped partitions. */
export async function sweepChanges(pool: Pool): Promise<number> {
  let dropped = 0;
  for (const table of changeLogs) dropped += await maintainPartitions(pool, table);
  return dropped;
}

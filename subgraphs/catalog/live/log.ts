import type { EventStream } from '../../../schema/event-stream.ts';
import { eventStream } from '../../../schema/event-stream.ts';
import { clock } from '../../common/clock.ts';
import { readRows } from '../../common/lists/rows.ts';
import { type Change, type ChangeLog, PAGE_SIZE } from '../../common/progress/change-log.ts';
import { followChanges } from '../../common/progress/follower.ts';
import type { RequestScope, Scope } from '../../common/scope.ts';
import { OrganizationChange } from './entity.ts';
import type { OrganizationUpdate } from './types.ts';

type Numbered = OrganizationChange & Change;
type Update = OrganizationUpdate & Change;

const OPEN = { status: '' };

/** One statement, because the organization may change meanwhile. */
const EXPIRED = `
  select s.sequence::float8 from catalog.organization_sequences s
   where s.organization_id = $1 and s.sequence > $2
     and not exists (select from catalog.organization_changes c where c.organization_id = $1 and c.sequence > $2)`;
/** The row may not exist yet. Other processes may have watched the organization already. */
const WATCH = `
  insert into catalog.organization_sequences as s (organization_id, sequence, tx, watched_until)
  select id, 0, pg_current_xact_id(), now() + interval '15 minutes' from identity.organizations where id = $1
  on conflict (organization_id) do update set watched_until = excluded.watched_until
   where coalesce(s.watched_until < now() + interval '10 minutes', true)`;
const LATEST = 'select sequence::float8 from catalog.organization_sequences where organization_id = $1';

/**
 * One page of the changes after `after`, up to and including `upTo`, in order. When all of them have expired, one change without a job
 * takes their place.
 */
async function readChanges(scope: Scope, _id: string, after: number, upTo?: number): Promise<Numbered[]> {
  const rows = await readRows(
    scope,
    OrganizationChange,
    {
      matching: (bind) => `r.sequence > ${bind(after)}${upTo === undefined ? '' : ` and r.sequence <= ${bind(upTo)}`}`,
      orderBy: { sequence: 'asc' },
    },
    { limit: PAGE_SIZE, offset: 0 },
  );
  if (rows.length > 0) return rows.map((change) => ({ ...change, ...OPEN }));
  const { organizationId } = scope;
  const expired = await scope.services.pool.query<{ sequence: number }>(EXPIRED, [organizationId, after]);
  return expired.rows.map(({ sequence }) => ({ organizationId, sequence, jobId: null, at: clock.now(), ...OPEN }));
}

/** Merges consecutive changes into one update. */
function* mergeChanges(changes: Numbered[]): Generator<Update> {
  const last = changes.at(-1);
  if (!last) return;
  const jobIds = [...new Set(changes.flatMap(({ jobId }) => jobId ?? []))];
  yield { sequence: last.sequence, at: last.at, jobIds, ...OPEN };
}

const organizationLog: ChangeLog<Numbered, Update> = {
  channel: 'organization_changes',
  async watch({ services, organizationId }) {
    await services.pool.query(WATCH, [organizationId]);
  },
  read: readChanges,
  merge: mergeChanges,
  isEnded: () => false,
  hasEnded: async () => false,
};

/** Streams the changes of the organization after the given one. Without one, it starts with an update of the current state. */
export async function followOrganization(
  scope: RequestScope,
  after: number | null | undefined,
): Promise<EventStream<OrganizationUpdate>> {
  const [latest] = await readRows(scope, OrganizationChange, { orderBy: { sequence: 'desc' } }, { limit: 1, offset: 0 });
  // The latest change may have expired.
  const { rows } = await scope.services.pool.query<{ sequence: number }>(LATEST, [scope.organizationId]);
  const sequence = rows[0]?.sequence ?? 0;
  const changes = followChanges(organizationLog, scope, { id: scope.organizationId, sequence, after: after ?? sequence });
  if (after != null) return changes;
  let first: OrganizationUpdate | undefined = { sequence, at: latest?.at ?? clock.now(), jobIds: [] };
  const pull = async () => {
    const update = first;
    first = undefined;
    return update ?? (await changes.next()).value;
  };
  return eventStream<OrganizationUpdate>(pull, () => changes.end());
}

import { type EntityClass, type FilterQuery, UniqueConstraintViolationException } from '@mikro-orm/postgresql';
import { forbidInTransaction, isId } from '../../../platform/database/index.ts';
import { Slots } from '../../../platform/queues/index.ts';
import { lockContent, type RequestScope, type Scope } from '../../../platform/scope/index.ts';
import { emit } from '../../../platform/webhooks/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import { WorkspaceMember } from '../members/entity.ts';
import { Site } from '../sites/entity.ts';
import { notEditor, siteNotFound } from './access.ts';

/** Transactions of an organization that hold this lock or wait for it. Each has a connection, which other organizations need, too. */
const editSlots = new Slots(4);

/** Run `write`, which begins a transaction that takes the lock of the content, when few others of the organization wait for it. */
export function withEditSlot<T>(
  { organizationId, signal }: Pick<Scope, 'organizationId' | 'signal'>,
  write: () => Promise<T>,
): Promise<T> {
  forbidInTransaction('The wait for a change of content');
  return editSlots.run(organizationId, signal, write);
}

/** Run `work` in a transaction that may change content of the organization. */
export const editContent = <T>(scope: RequestScope, work: (inner: RequestScope) => Promise<T>): Promise<T> =>
  withEditSlot(scope, () =>
    scope.write(async (inner) => {
      await lockContent(inner);
      return work(inner);
    }),
  );

/** Change the content of a site. Throws `NOT_FOUND`, and `FORBIDDEN` unless the caller may edit its workspace. */
export const editSite = <T>(
  scope: RequestScope,
  siteId: string,
  work: (inner: RequestScope, site: Site) => Promise<T>,
): Promise<T> =>
  editContent(scope, async (inner) => {
    const site = isId(siteId) ? await inner.em.findOne(Site, siteId, { refresh: true }) : null;
    if (!site) throw siteNotFound();
    await requireEditor(inner, site.workspaceId);
    return work(inner, site);
  });

/** Change one record of a site. Throws `NOT_FOUND`, and `FORBIDDEN` unless the caller may edit the workspace of the site. */
export const editRecord = <T extends { id: string; siteId: string }, V>(
  scope: RequestScope,
  entity: EntityClass<T>,
  kind: string,
  id: string,
  work: (inner: RequestScope, record: T, site: Site) => Promise<V>,
): Promise<V> =>
  editContent(scope, async (inner) => {
    // A transaction may already have read the record before another one changed it.
    const record = isId(id) ? await inner.em.findOne(entity, { id } as FilterQuery<T>, { refresh: true }) : null;
    if (!record) throw fail('NOT_FOUND', `${kind} not found`);
    const site = await inner.em.findOne(Site, record.siteId);
    if (!site) throw fail('NOT_FOUND', `${kind} not found`);
    await requireEditor(inner, site.workspaceId);
    return work(inner, record as T, site);
  });

/** Throws `FORBIDDEN` unless the caller is owner or admin of the organization or of the workspace. Runs in a transaction. */
export async function requireEditor({ em, organization, caller }: RequestScope, workspaceId: string): Promise<void> {
  if (organization.role !== 'member') return;
  const { userId } = caller;
  const member = await em.findOne(WorkspaceMember, { workspaceId, userId });
  if (member?.role === 'owner' || member?.role === 'admin') return;
  throw notEditor();
}

/**
 * Start a new version of a record. A change without a field starts none; then it returns false. Throws `CONFLICT` with the current version
 * if the edit is based on another one.
 */
export function startVersion(record: { version: number }, version: number | null | undefined, change: object): boolean {
  if (version !== undefined && version !== null && version !== record.version)
    throw fail('CONFLICT', `The record has changed since this version. The current version is ${record.version}.`, {
      version: record.version,
    });
  if (Object.values(change).every((each) => each === undefined)) return false;
  record.version += 1;
  return true;
}

/** Write the pending changes. Throws `CONFLICT` with this message if a unique value is taken. */
export async function flushUnique({ em }: Scope, message: string): Promise<void> {
  await em.flush().catch((error: unknown) => {
    throw error instanceof UniqueConstraintViolationException ? fail('CONFLICT', message) : error;
  });
}

/** Delete a record that was read in this transaction. */
export async function deleteRecord<T extends { id: string }>({ em }: Scope, entity: EntityClass<T>, { id }: T) {
  await em.nativeDelete(entity, { id } as FilterQuery<T>);
  return { id, deleted: true };
}

/** Emit an event of a workspace in the transaction of its record. */
export const emitEvent = (scope: Scope, event: EnumValue<'SiteEvent'>, workspaceId: string, data: object): Promise<void> =>
  emit(scope, event, data as Record<string, unknown>, workspaceId);

/** The properties of a record that its event contains, like its REST representation. */
export const pick = <T extends object, K extends keyof T>(record: T, keys: readonly K[]): Pick<T, K> =>
  Object.fromEntries(keys.map((key) => [key, record[key]])) as Pick<T, K>;

/** The condition of a status filter on a list. */
export const statusWhere = <S extends string>(status: S | 'all'): { status?: S } =>
  status === 'all' ? {} : { status: status as S };

import { UniqueConstraintViolationException } from '@mikro-orm/postgresql';
import { isId } from '../../../platform/database/index.ts';
import { type RequestScope, requireUnbound, type Scope } from '../../../platform/scope/index.ts';
import { WebhookSubscription } from '../../../platform/webhooks/index.ts';
import { fail } from '../../../schema/errors.ts';
import { editContent, startVersion } from '../content/edit.ts';
import { type ListArguments, type ListSource, list } from '../site-list.ts';
import type { NewWorkspace, WorkspaceChange } from './entity.ts';
import { Workspace } from './entity.ts';

const WORKSPACES: ListSource<Workspace> = {
  name: 'workspaces',
  entity: Workspace,
  parent: 'organizationId',
  rows: { columns: ['id', 'organizationId', 'name', 'slug', 'version', 'createdAt'], ordering: 'r.name, r.id' },
};

export const listWorkspaces = (scope: Scope, page: ListArguments) => list(scope, WORKSPACES, null, page);

/** Throws `NOT_FOUND`. */
export async function findWorkspace({ em }: Scope, id: string): Promise<Workspace> {
  return (isId(id) && (await em.findOne(Workspace, id))) || notFound();
}

export const createWorkspace = (scope: RequestScope, input: NewWorkspace): Promise<Workspace> =>
  editContent(scope, async (inner) => {
    requireUnbound(inner);
    const { em, organizationId } = inner;
    const workspace = em.create(Workspace, { ...input, organizationId });
    await unlessTaken(workspace, () => em.flush());
    return workspace;
  });

/** Throws `CONFLICT` for another version or a taken slug. */
export const updateWorkspace = (scope: RequestScope, id: string, change: WorkspaceChange, version?: number | null) =>
  editContent(scope, async ({ em }) => {
    const workspace = (isId(id) && (await em.findOne(Workspace, id, { refresh: true }))) || notFound();
    startVersion(workspace, version, change);
    workspace.name = change.name ?? workspace.name;
    workspace.slug = change.slug ?? workspace.slug;
    await unlessTaken(workspace, () => em.flush());
    return workspace;
  });

/** Deletes the webhooks of the workspace, and its sites and keys by foreign key cascades. */
export const deleteWorkspace = (scope: RequestScope, id: string) =>
  editContent(scope, async ({ em, services }) => {
    const deleted = isId(id) ? await em.nativeDelete(Workspace, { id }) : 0;
    if (deleted === 0) notFound();
    await em.nativeDelete(WebhookSubscription, { surface: 'site-content', aboutId: id });
    // A foreign key cascade deletes its keys.
    services.callers.forget();
    return { id, deleted: true };
  });

async function unlessTaken({ slug }: Workspace, write: () => Promise<void>): Promise<void> {
  await write().catch((error: unknown) => {
    const taken = error instanceof UniqueConstraintViolationException;
    throw taken ? fail('CONFLICT', `A workspace with the slug ${slug} already exists.`) : error;
  });
}

function notFound(): never {
  throw fail('NOT_FOUND', 'Workspace not found');
}

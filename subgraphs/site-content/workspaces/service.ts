import { UniqueConstraintViolationException } from '@mikro-orm/postgresql';
import { fail } from '../../../schema/errors.ts';
import { isId } from '../../common/ids.ts';
import type { Scope } from '../../common/scope.ts';
import { type ListArguments, list } from '../list.ts';
import { Workspace } from './entity.ts';
import type { NewWorkspace, WorkspaceChange } from './types.ts';

const LIST_COLUMNS = ['id', 'organizationId', 'name', 'slug', 'createdAt'] as const;

export const listWorkspaces = (scope: Scope, page: ListArguments) =>
  list(scope, Workspace, { columns: LIST_COLUMNS, orderBy: { name: 'asc', id: 'asc' } }, page);

/** Throws `NOT_FOUND`. */
export async function findWorkspace({ em }: Scope, id: string): Promise<Workspace> {
  return (isId(id) && (await em.findOne(Workspace, id))) || notFound();
}

export async function createWorkspace({ em, organizationId }: Scope, input: NewWorkspace): Promise<Workspace> {
  const workspace = em.create(Workspace, { ...input, organizationId });
  await unlessTaken(workspace, () => em.flush());
  return workspace;
}

export async function updateWorkspace(scope: Scope, id: string, { name, slug }: WorkspaceChange): Promise<Workspace> {
  const workspace = await findWorkspace(scope, id);
  workspace.name = name ?? workspace.name;
  workspace.slug = slug ?? workspace.slug;
  await unlessTaken(workspace, () => scope.em.flush());
  return workspace;
}

/** Deletes the sites of the workspace by a foreign key cascade. */
export async function deleteWorkspace({ em }: Scope, id: string) {
  const deleted = isId(id) ? await em.nativeDelete(Workspace, { id }) : 0;
  if (deleted === 0) notFound();
  return { id, deleted: true };
}

async function unlessTaken({ slug }: Workspace, write: () => Promise<void>): Promise<void> {
  await write().catch((error: unknown) => {
    const taken = error instanceof UniqueConstraintViolationException;
    throw taken ? fail('CONFLICT', `A workspace with the slug ${slug} already exists`) : error;
  });
}

function notFound(): never {
  throw fail('NOT_FOUND', 'Workspace not found');
}

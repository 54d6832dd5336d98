import { isId, readRows } from '../../../platform/database/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { WorkspaceMember } from '../members/entity.ts';
import { Site } from '../sites/entity.ts';

/** Whether the caller may edit the content of a workspace: as owner or admin of the organization or of the workspace. */
export async function isEditor(scope: RequestScope, workspaceId: string): Promise<boolean> {
  if (scope.workspaceId && scope.workspaceId !== workspaceId) return false;
  if (scope.organization.role !== 'member') return true;
  const { userId } = scope.caller;
  const roleOf = scope.batch('workspace roles', async (workspaceIds) => {
    const found = await readRows(scope, WorkspaceMember, {
      columns: ['workspaceId', 'role'],
      where: { userId, workspaceId: workspaceIds },
    });
    return new Map(found.map((each) => [each.workspaceId, each.role]));
  });
  const role = await roleOf(workspaceId);
  return role === 'owner' || role === 'admin';
}

export const NO_DRAFTS = 'Only owners and admins may read content that is not published.';

/**
 * A site that the caller may read. Throws `NOT_FOUND`, also for a draft of others, and `FORBIDDEN` when the caller may not read drafts of
 * its content.
 */
export async function readableSite(scope: RequestScope, siteId: string, status: string = 'published'): Promise<Site> {
  const site = isId(siteId) ? await scope.load(Site, siteId) : null;
  if (!site) throw siteNotFound();
  if (status === 'published' && site.status === 'published') return site;
  if (await isEditor(scope, site.workspaceId)) return site;
  throw site.status === 'published' ? fail('FORBIDDEN', NO_DRAFTS) : siteNotFound();
}

/** Whether the caller sees a record of a site: editors see all, others the published ones of published sites. */
export async function isReadable(
  scope: RequestScope,
  { siteId, status = 'published' }: { siteId: string; status?: string },
): Promise<boolean> {
  const site = await scope.load(Site, siteId);
  if (!site) return false;
  return (status === 'published' && site.status === 'published') || isEditor(scope, site.workspaceId);
}

export const notEditor = () => fail('FORBIDDEN', 'This needs the role admin in the organization or the workspace.');

/** Throws `FORBIDDEN` unless the caller may edit the site of the arguments. An unknown site is left to the operation. */
export async function requireEditorOfSite(scope: RequestScope, { siteId }: { siteId: string }): Promise<void> {
  const site = isId(siteId) ? await scope.load(Site, siteId) : null;
  if (site && !(await isEditor(scope, site.workspaceId))) throw notEditor();
}

export const siteNotFound = () => fail('NOT_FOUND', 'Site not found');

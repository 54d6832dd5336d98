import { ForeignKeyConstraintViolationException, UniqueConstraintViolationException } from '@mikro-orm/postgresql';
import { fail } from '../../../schema/errors.ts';
import { isId } from '../../common/ids.ts';
import type { RequestScope, Scope } from '../../common/scope.ts';
import { list } from '../list.ts';
import { findWorkspace } from '../workspaces/service.ts';
import { Site } from './entity.ts';
import type { NewSite, SiteChange, SitesArguments } from './types.ts';

const LIST_COLUMNS = [
  'id',
  'organizationId',
  'workspaceId',
  'name',
  'slug',
  'status',
  'publishedAt',
  'createdAt',
  'updatedAt',
] as const;

/** Sorted by name. Throws `FORBIDDEN` if a member without the admin role requests unpublished sites. */
export async function listSites(scope: RequestScope, { workspaceId, status, ...page }: SitesArguments) {
  if (status !== 'published' && !seesDrafts(scope))
    throw fail('FORBIDDEN', 'Only owners and admins may list sites that are not published.');
  if (workspaceId) await findWorkspace(scope, workspaceId);
  const where = { ...(workspaceId && { workspaceId }), ...(status !== 'all' && { status }) };
  return list(scope, Site, { columns: LIST_COLUMNS, where, orderBy: { name: 'asc', id: 'asc' } }, page);
}

/** Throws `NOT_FOUND`, also for a draft that the caller may not see. */
export async function findSite(scope: RequestScope, id: string): Promise<Site> {
  return (isId(id) && (await loadSite(scope, id))) || notFound();
}

/** Batched lookup. Resolves to null if the site does not exist or the caller may not see it. */
export async function loadSite(scope: RequestScope, id: string): Promise<Site | null> {
  const all = seesDrafts(scope);
  const site = await scope.load(Site, id);
  return all || site?.status === 'published' ? site : null;
}

const seesDrafts = ({ organization }: RequestScope) => organization.role !== 'member';

export async function createSite(scope: Scope, input: NewSite): Promise<Site> {
  await findWorkspace(scope, input.workspaceId);
  const site = scope.em.create(Site, { ...input, organizationId: scope.organizationId });
  await write(scope, site);
  return site;
}

export const updateSite = (scope: Scope, id: string, { name, slug }: SiteChange): Promise<Site> =>
  change(scope, id, (site) => {
    site.name = name ?? site.name;
    site.slug = slug ?? site.slug;
  });

/** Publish a site, or update the time of its publication. */
export const publishSite = (scope: Scope, id: string): Promise<Site> =>
  change(scope, id, (site) => {
    site.status = 'published';
    site.publishedAt = new Date();
  });

export const unpublishSite = (scope: Scope, id: string): Promise<Site> =>
  change(scope, id, (site) => {
    site.status = 'draft';
    site.publishedAt = null;
  });

export async function deleteSite({ em }: Scope, id: string) {
  const deleted = isId(id) ? await em.nativeDelete(Site, { id }) : 0;
  if (deleted === 0) notFound();
  return { id, deleted: true };
}

async function change(scope: Scope, id: string, edit: (site: Site) => void): Promise<Site> {
  const site = isId(id) ? await scope.em.findOne(Site, id) : null;
  if (!site) return notFound();
  edit(site);
  await write(scope, site);
  return site;
}

/** Maps constraint violations: a concurrent request may take the slug or delete the workspace before the write. */
async function write({ em }: Scope, { slug }: Site): Promise<void> {
  await em.flush().catch((error: unknown) => {
    if (error instanceof UniqueConstraintViolationException)
      throw fail('CONFLICT', `A site with the slug ${slug} already exists in the workspace`);
    if (error instanceof ForeignKeyConstraintViolationException) throw fail('NOT_FOUND', 'Workspace not found');
    throw error;
  });
}

function notFound(): never {
  throw fail('NOT_FOUND', 'Site not found');
}

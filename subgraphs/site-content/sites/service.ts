import { ForeignKeyConstraintViolationException, UniqueConstraintViolationException } from '@mikro-orm/postgresql';
import { clock, isId } from '../../../platform/database/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import { isEditor } from '../content/access.ts';
import { editContent, emitEvent, pick, startVersion, statusWhere } from '../content/edit.ts';
import { type ListSource, list, nestedList } from '../site-list.ts';
import { Workspace } from '../workspaces/entity.ts';
import { findWorkspace } from '../workspaces/service.ts';
import type { NewSite, SiteChange, SitesArguments, SitesOfWorkspaceArguments } from './entity.ts';
import { Site } from './entity.ts';

const COLUMNS = [
  'id',
  'organizationId',
  'workspaceId',
  'name',
  'slug',
  'status',
  'publishedAt',
  'version',
  'createdAt',
  'updatedAt',
] as const;

const sitesOf = (where: { status?: EnumValue<'SiteStatus'> }): ListSource<Site> => ({
  name: 'sites',
  entity: Site,
  parent: 'workspaceId',
  rows: { columns: COLUMNS, where, ordering: 'r.name, r.id' },
});

/** Sorted by name. Throws `FORBIDDEN` if a member without the admin role requests unpublished sites. */
export async function listSites(scope: RequestScope, { workspaceId: named, status, ...page }: SitesArguments) {
  // An empty id names no workspace. A key that is bound to one reads all sites as those of its workspace.
  const workspaceId = named || scope.workspaceId;
  if (status !== 'published' && !(workspaceId && isId(workspaceId) ? await isEditor(scope, workspaceId) : seesDrafts(scope)))
    throw fail('FORBIDDEN', NO_DRAFT_SITES);
  if (workspaceId) await findWorkspace(scope, workspaceId);
  return list(scope, sitesOf(statusWhere(status)), workspaceId, page);
}

/** The sites of a workspace as a field of the workspace. */
export async function listSitesOf(scope: RequestScope, { id }: Workspace, { status, ...page }: SitesOfWorkspaceArguments) {
  if (status !== 'published' && !(await isEditor(scope, id))) throw fail('FORBIDDEN', NO_DRAFT_SITES);
  return nestedList(scope, sitesOf(statusWhere(status)), id, page);
}

/** Throws `NOT_FOUND`, also for a draft that the caller may not see. */
export async function findSite(scope: RequestScope, id: string): Promise<Site> {
  return (isId(id) && (await loadSite(scope, id))) || notFound();
}

/** Batched lookup. Resolves to null if the site does not exist or the caller may not see it. */
export async function loadSite(scope: RequestScope, id: string): Promise<Site | null> {
  const site = await scope.load(Site, id);
  return site && (site.status === 'published' || (await isEditor(scope, site.workspaceId))) ? site : null;
}

const NO_DRAFT_SITES = 'Only owners and admins may list sites that are not published.';
const workspaceNotFound = () => fail('NOT_FOUND', 'Workspace not found');
const seesDrafts = ({ organization }: RequestScope) => organization.role !== 'member';

export const createSite = (scope: RequestScope, input: NewSite): Promise<Site> =>
  editContent(scope, async (inner) => {
    const { em, organizationId } = inner;
    if (!(isId(input.workspaceId) && (await em.count(Workspace, { id: input.workspaceId })))) throw workspaceNotFound();
    const site = em.create(Site, { ...input, organizationId });
    await write(inner, site);
    return site;
  });

/** Throws `CONFLICT` for another version or a taken slug. */
export const updateSite = (scope: RequestScope, id: string, input: SiteChange, version?: number | null): Promise<Site> =>
  change(scope, id, (site) => {
    startVersion(site, version, input);
    site.name = input.name ?? site.name;
    site.slug = input.slug ?? site.slug;
  });

/** Publish a site, or update the time of its publication. Emits `site.published`. */
export const publishSite = (scope: RequestScope, id: string): Promise<Site> =>
  change(
    scope,
    id,
    (site) => {
      site.status = 'published';
      site.publishedAt = clock.now();
    },
    (inner, site) => emitEvent(inner, 'site.published', site.workspaceId, eventOf(site)),
  );

export const unpublishSite = (scope: RequestScope, id: string): Promise<Site> =>
  change(scope, id, (site) => {
    site.status = 'draft';
    site.publishedAt = null;
  });

export const deleteSite = (scope: RequestScope, id: string) =>
  editContent(scope, async ({ em }) => {
    const deleted = isId(id) ? await em.nativeDelete(Site, { id }) : 0;
    if (deleted === 0) notFound();
    return { id, deleted: true };
  });

const change = (
  scope: RequestScope,
  id: string,
  edit: (site: Site) => void,
  then?: (inner: Scope, site: Site) => Promise<void>,
): Promise<Site> =>
  editContent(scope, async (inner) => {
    const site = (isId(id) && (await inner.em.findOne(Site, id, { refresh: true }))) || notFound();
    edit(site);
    await write(inner, site);
    await then?.(inner, site);
    return site;
  });

/** The data of the event of a site. */
const eventOf = (site: Site) =>
  pick(site, ['id', 'workspaceId', 'name', 'slug', 'status', 'publishedAt', 'createdAt', 'updatedAt']);

/** Maps constraint violations. */
async function write({ em }: Scope, { slug }: Site): Promise<void> {
  await em.flush().catch((error: unknown) => {
    if (error instanceof UniqueConstraintViolationException)
      throw fail('CONFLICT', `A site with the slug ${slug} already exists in the workspace`);
    if (error instanceof ForeignKeyConstraintViolationException) throw workspaceNotFound();
    throw error;
  });
}

function notFound(): never {
  throw fail('NOT_FOUND', 'Site not found');
}

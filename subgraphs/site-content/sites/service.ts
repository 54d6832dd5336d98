import { ForeignKeyConstraintViolationException, UniqueConstraintViolationException } from '@mikro-orm/postgresql';
import { Arg, Args, Authorized, Ctx, FieldResolver, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { clock, isId } from '../../../platform/database/index.ts';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import { isEditor } from '../content/access.ts';
import { editContent, emitEvent, pick, startVersion, statusWhere } from '../content/edit.ts';
import { VERSION } from '../content/entity.ts';
import { type ListSource, list, nestedList } from '../site-list.ts';
import { Workspace } from '../workspaces/entity.ts';
import { findWorkspace } from '../workspaces/service.ts';
import { DeletedSite, NewSite, Site, SiteChange, SiteList, SitesArguments, type SitesOfWorkspaceArguments } from './entity.ts';

@Access('admin')
@Resolver(() => Site)
export class SiteResolver {
  @Authorized('member')
  @Query(() => SiteList, { description: 'The sites of the organization, sorted by name.' })
  sites(@Ctx() scope: RequestScope, @Args(() => SitesArguments) request: SitesArguments) {
    return listSites(scope, request);
  }

  /** Throws `NOT_FOUND`, also for a draft that the caller may not see. */
  @Authorized('member')
  @Query(() => Site, { nullable: true, description: 'One site by id.' })
  async site(@Ctx() scope: RequestScope, @Id() id: string): Promise<Site> {
    return (isId(id) && (await loadSite(scope, id))) || notFound();
  }

  @Idempotent({ prepares: true })
  @Mutation(() => Site, { description: 'Create a site as a draft.' })
  createSite(@Ctx() scope: RequestScope, @Arg('input', () => NewSite) input: NewSite): Promise<Site> {
    return editContent(scope, async (inner) => {
      const { em, organizationId } = inner;
      if (!(isId(input.workspaceId) && (await em.count(Workspace, { id: input.workspaceId })))) throw workspaceNotFound();
      const site = em.create(Site, { ...input, organizationId });
      await write(inner, site);
      return site;
    });
  }

  /** Throws `CONFLICT` for another version or a taken slug. */
  @Mutation(() => Site, { description: 'Change the name or slug of a site. Omitted fields stay unchanged.' })
  updateSite(
    @Ctx() scope: RequestScope,
    @Id() id: string,
    @Arg('input', () => SiteChange) input: SiteChange,
    @Arg('version', () => Int, { nullable: true, description: VERSION }) version?: number | null,
  ): Promise<Site> {
    return change(scope, id, (site) => {
      startVersion(site, version, input);
      site.name = input.name ?? site.name;
      site.slug = input.slug ?? site.slug;
    });
  }

  /** Publish a site, or update the time of its publication. Emits `site.published`. */
  @Mutation(() => Site, { description: 'Publish a site. Publishing it again updates `publishedAt`.' })
  publishSite(@Ctx() scope: RequestScope, @Id() id: string): Promise<Site> {
    return change(
      scope,
      id,
      (site) => {
        site.status = 'published';
        site.publishedAt = clock.now();
      },
      (inner, site) => emitEvent(inner, 'site.published', site.workspaceId, eventOf(site)),
    );
  }

  @Mutation(() => Site, { description: 'Turn a site back into a draft.' })
  unpublishSite(@Ctx() scope: RequestScope, @Id() id: string): Promise<Site> {
    return change(scope, id, (site) => {
      site.status = 'draft';
      site.publishedAt = null;
    });
  }

  @Mutation(() => DeletedSite, { description: 'Delete a site with its content permanently, without events of the content.' })
  deleteSite(@Ctx() scope: RequestScope, @Id() id: string) {
    return editContent(scope, async ({ em }) => {
      const deleted = isId(id) ? await em.nativeDelete(Site, { id }) : 0;
      if (deleted === 0) notFound();
      return { id, deleted: true };
    });
  }

  @FieldResolver(() => Workspace, { nullable: true })
  workspace(@Ctx() scope: RequestScope, @Root() { workspaceId, organizationId }: Site) {
    return scope.within(organizationId).load(Workspace, workspaceId);
  }
}

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

/** Batched lookup. Resolves to null if the site does not exist or the caller may not see it. */
export async function loadSite(scope: RequestScope, id: string): Promise<Site | null> {
  const site = await scope.load(Site, id);
  return site && (site.status === 'published' || (await isEditor(scope, site.workspaceId))) ? site : null;
}

const NO_DRAFT_SITES = 'Only owners and admins may list sites that are not published.';
const workspaceNotFound = () => fail('NOT_FOUND', 'Workspace not found');
const seesDrafts = ({ organization }: RequestScope) => organization.role !== 'member';

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
      throw fail('CONFLICT', `A site with the slug ${slug} already exists in the workspace.`);
    if (error instanceof ForeignKeyConstraintViolationException) throw workspaceNotFound();
    throw error;
  });
}

function notFound(): never {
  throw fail('NOT_FOUND', 'Site not found');
}

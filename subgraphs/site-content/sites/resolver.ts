import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { VERSION } from '../content/entity.ts';
import { Workspace } from '../workspaces/entity.ts';
import { DeletedSite, NewSite, Site, SiteChange, SiteList, SitesArguments } from './entity.ts';
import * as sites from './service.ts';

@Resolver(() => Site)
export class SiteResolver {
  @Authorized('member')
  @Query(() => SiteList, { description: 'The sites of the organization, sorted by name.' })
  sites(@Ctx() scope: RequestScope, @Args(() => SitesArguments) request: SitesArguments) {
    return sites.listSites(scope, request);
  }

  @Authorized('member')
  @Query(() => Site, { nullable: true, description: 'One site by id.' })
  site(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return sites.findSite(scope, id);
  }

  @Authorized('admin')
  @Idempotent({ prepares: true })
  @Mutation(() => Site, { description: 'Create a site as a draft.' })
  createSite(@Ctx() scope: RequestScope, @Arg('input', () => NewSite) input: NewSite) {
    return sites.createSite(scope, input);
  }

  @Authorized('admin')
  @Mutation(() => Site, { description: 'Change the name or slug of a site. Omitted fields stay unchanged.' })
  updateSite(
    @Ctx() scope: RequestScope,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => SiteChange) input: SiteChange,
    @Arg('version', () => Int, { nullable: true, description: VERSION }) version?: number | null,
  ) {
    return sites.updateSite(scope, id, input, version);
  }

  @Authorized('admin')
  @Mutation(() => Site, { description: 'Publish a site. Publishing it again updates `publishedAt`.' })
  publishSite(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return sites.publishSite(scope, id);
  }

  @Authorized('admin')
  @Mutation(() => Site, { description: 'Turn a site back into a draft.' })
  unpublishSite(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return sites.unpublishSite(scope, id);
  }

  @Authorized('admin')
  @Mutation(() => DeletedSite, { description: 'Delete a site with its content permanently, without events of the content.' })
  deleteSite(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return sites.deleteSite(scope, id);
  }

  @FieldResolver(() => Workspace, { nullable: true })
  workspace(@Ctx() scope: RequestScope, @Root() { workspaceId, organizationId }: Site) {
    return scope.within(organizationId).load(Workspace, workspaceId);
  }
}

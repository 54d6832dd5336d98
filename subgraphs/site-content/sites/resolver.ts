import { Arg, Args, Authorized, Ctx, FieldResolver, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { VERSION } from '../content/entity.ts';
import { Workspace } from '../workspaces/entity.ts';
import { DeletedSite, NewSite, Site, SiteChange, SiteList, SitesArguments } from './entity.ts';
import * as sites from './service.ts';

@Access('admin')
@Resolver(() => Site)
export class SiteResolver {
  @Authorized('member')
  @Query(() => SiteList, { description: 'The sites of the organization, sorted by name.' })
  sites(@Ctx() scope: RequestScope, @Args(() => SitesArguments) request: SitesArguments) {
    return sites.listSites(scope, request);
  }

  @Authorized('member')
  @Query(() => Site, { nullable: true, description: 'One site by id.' })
  site(@Ctx() scope: RequestScope, @Id() id: string) {
    return sites.findSite(scope, id);
  }

  @Idempotent({ prepares: true })
  @Mutation(() => Site, { description: 'Create a site as a draft.' })
  createSite(@Ctx() scope: RequestScope, @Arg('input', () => NewSite) input: NewSite) {
    return sites.createSite(scope, input);
  }

  @Mutation(() => Site, { description: 'Change the name or slug of a site. Omitted fields stay unchanged.' })
  updateSite(
    @Ctx() scope: RequestScope,
    @Id() id: string,
    @Arg('input', () => SiteChange) input: SiteChange,
    @Arg('version', () => Int, { nullable: true, description: VERSION }) version?: number | null,
  ) {
    return sites.updateSite(scope, id, input, version);
  }

  @Mutation(() => Site, { description: 'Publish a site. Publishing it again updates `publishedAt`.' })
  publishSite(@Ctx() scope: RequestScope, @Id() id: string) {
    return sites.publishSite(scope, id);
  }

  @Mutation(() => Site, { description: 'Turn a site back into a draft.' })
  unpublishSite(@Ctx() scope: RequestScope, @Id() id: string) {
    return sites.unpublishSite(scope, id);
  }

  @Mutation(() => DeletedSite, { description: 'Delete a site with its content permanently, without events of the content.' })
  deleteSite(@Ctx() scope: RequestScope, @Id() id: string) {
    return sites.deleteSite(scope, id);
  }

  @FieldResolver(() => Workspace, { nullable: true })
  workspace(@Ctx() scope: RequestScope, @Root() { workspaceId, organizationId }: Site) {
    return scope.within(organizationId).load(Workspace, workspaceId);
  }
}

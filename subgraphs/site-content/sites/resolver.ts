import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Idempotent } from '../../common/idempotency/idempotent.ts';
import type { RequestScope } from '../../common/scope.ts';
import { Workspace } from '../workspaces/entity.ts';
import { Site } from './entity.ts';
import * as sites from './service.ts';
import { DeletedSite, NewSite, SiteChange, SiteList, SitesArguments } from './types.ts';

@Resolver(() => Site)
export class SiteResolver {
  @Authorized('member')
  @Query(() => SiteList, { description: 'The sites of the organization, by name.' })
  sites(@Ctx() scope: RequestScope, @Args(() => SitesArguments) request: SitesArguments) {
    return sites.listSites(scope, request);
  }

  @Authorized('member')
  @Query(() => Site, { description: 'The site of this id.' })
  site(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return sites.findSite(scope, id);
  }

  @Authorized('admin')
  @Idempotent()
  @Mutation(() => Site, { description: 'Create a site, as a draft.' })
  createSite(@Ctx() scope: RequestScope, @Arg('input', () => NewSite) input: NewSite) {
    return sites.createSite(scope, input);
  }

  @Authorized('admin')
  @Mutation(() => Site, { description: 'Change a site. What is not sent stays as it is.' })
  updateSite(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string, @Arg('input', () => SiteChange) input: SiteChange) {
    return sites.updateSite(scope, id, input);
  }

  @Authorized('admin')
  @Mutation(() => Site, { description: 'Publish a site, or publish it anew.' })
  publishSite(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return sites.publishSite(scope, id);
  }

  @Authorized('admin')
  @Mutation(() => Site, { description: 'Make a site a draft again.' })
  unpublishSite(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return sites.unpublishSite(scope, id);
  }

  @Authorized('admin')
  @Mutation(() => DeletedSite, { description: 'Delete a site.' })
  deleteSite(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return sites.deleteSite(scope, id);
  }

  @FieldResolver(() => Workspace, { nullable: true, description: 'The workspace it belongs to.' })
  workspace(@Ctx() scope: RequestScope, @Root() { workspaceId, organizationId }: Site) {
    return scope.within(organizationId).load(Workspace, workspaceId);
  }
}

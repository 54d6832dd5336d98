import { Args, Ctx, Directive, FieldResolver, ID, ObjectType, Resolver, Root } from 'type-graphql';
import { field, output } from '../../../platform/fields/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { ListArguments } from '../site-list.ts';
import { SiteList, SitesArguments } from '../sites/entity.ts';
import * as sites from '../sites/service.ts';
import { WorkspaceList } from '../workspaces/entity.ts';
import * as workspaces from '../workspaces/service.ts';

/** The stub of `Organization` in this subgraph. The catalog owns its other fields. */
@ObjectType('Organization')
@Directive('@key(fields: "id")')
export class SiteOrganization extends output({
  id: field(ID),
}) {}

@Resolver(() => SiteOrganization)
export class OrganizationSitesResolver {
  @FieldResolver(() => WorkspaceList, { description: 'Sorted by name.' })
  workspaces(@Ctx() scope: RequestScope, @Root() { id }: SiteOrganization, @Args(() => ListArguments) page: ListArguments) {
    return workspaces.listWorkspaces(scope.within(id), page);
  }

  // Nullable, so that an error in one organization does not null the others.
  @FieldResolver(() => SiteList, {
    nullable: true,
    description: 'Sorted by name. Null, with an error, if the caller may not see sites of this status.',
  })
  sites(@Ctx() scope: RequestScope, @Root() { id }: SiteOrganization, @Args(() => SitesArguments) request: SitesArguments) {
    return sites.listSites(scope.within(id), request);
  }
}

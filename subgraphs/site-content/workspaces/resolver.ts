import {
  Arg,
  Args,
  Authorized,
  Ctx,
  Directive,
  FieldResolver,
  ID,
  Int,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { field, Id, output } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { VERSION } from '../content/entity.ts';
import { ListArguments } from '../site-list.ts';
import { SiteList, SitesArguments, SitesOfWorkspaceArguments } from '../sites/entity.ts';
import * as sites from '../sites/service.ts';
import { DeletedWorkspace, NewWorkspace, Workspace, WorkspaceChange, WorkspaceList } from './entity.ts';
import * as workspaces from './service.ts';

@Access('admin')
@Resolver(() => Workspace)
export class WorkspaceResolver {
  @Authorized('member')
  @Query(() => WorkspaceList, { description: 'The workspaces of the organization, sorted by name.' })
  workspaces(@Ctx() scope: RequestScope, @Args(() => ListArguments) page: ListArguments) {
    return workspaces.listWorkspaces(scope, page);
  }

  @Authorized('member')
  @Query(() => Workspace, { nullable: true, description: 'One workspace by id.' })
  workspace(@Ctx() scope: RequestScope, @Id() id: string) {
    return workspaces.findWorkspace(scope, id);
  }

  @Idempotent({ prepares: true })
  @Mutation(() => Workspace, { description: 'Create a workspace.' })
  createWorkspace(@Ctx() scope: RequestScope, @Arg('input', () => NewWorkspace) input: NewWorkspace) {
    return workspaces.createWorkspace(scope, input);
  }

  @Mutation(() => Workspace, { description: 'Change the name or slug of a workspace. Omitted fields stay unchanged.' })
  updateWorkspace(
    @Ctx() scope: RequestScope,
    @Id() id: string,
    @Arg('input', () => WorkspaceChange) input: WorkspaceChange,
    @Arg('version', () => Int, { nullable: true, description: VERSION }) version?: number | null,
  ) {
    return workspaces.updateWorkspace(scope, id, input, version);
  }

  @Mutation(() => DeletedWorkspace, { description: 'Delete a workspace with all of its sites, its webhooks and its keys.' })
  deleteWorkspace(@Ctx() scope: RequestScope, @Id() id: string) {
    return workspaces.deleteWorkspace(scope, id);
  }

  // Nullable, so that an error in one workspace does not null the others.
  @FieldResolver(() => SiteList, {
    nullable: true,
    description: 'Sorted by name. Null, with an error, if the caller may not read drafts.',
  })
  sites(
    @Ctx() scope: RequestScope,
    @Root() workspace: Workspace,
    @Args(() => SitesOfWorkspaceArguments) request: SitesOfWorkspaceArguments,
  ) {
    return sites.listSitesOf(scope.within(workspace.organizationId), workspace, request);
  }

  @FieldResolver(() => SiteOrganization)
  organization(@Root() { organizationId }: Workspace): SiteOrganization {
    return { id: organizationId };
  }
}

/** The stub of `Organization` in this subgraph. The catalog owns its other fields. */
@ObjectType('Organization')
@Directive('@key(fields: "id")')
class SiteOrganization extends output({
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

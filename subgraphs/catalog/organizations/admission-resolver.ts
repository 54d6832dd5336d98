import { Arg, Ctx, Directive, Int, Query, Resolver } from 'type-graphql';
import { Access, admit, toolAccess } from '../../../platform/identity/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import type { Admission, Requirement, ToolAccess } from '../../../schema/request.ts';
import { AdmissionAnswer, ToolAccessAnswer } from './types.ts';

/** The gateway calls it before each request. Not part of the public API. */
@Access('public')
@Resolver()
export class AdmissionResolver {
  @Directive('@inaccessible')
  @Query(() => AdmissionAnswer)
  admission(
    @Ctx() scope: RequestScope,
    @Arg('access', () => String) access: Requirement['access'],
    @Arg('level', () => String, { nullable: true }) level?: Requirement['level'],
    @Arg('workspaces', () => Boolean, { nullable: true }) workspaces?: Requirement['workspaces'],
    @Arg('plan', () => String, { nullable: true }) plan?: Requirement['plan'],
    @Arg('gates', () => [String], { nullable: true }) gates?: Requirement['gates'],
    @Arg('counter', () => String, { nullable: true }) counter?: Requirement['counter'],
    @Arg('points', () => Int, { nullable: true }) points?: number | null,
  ): Promise<Admission> {
    return admit(scope, { access, level, workspaces, plan, gates, counter, points: points ?? undefined });
  }

  @Directive('@inaccessible')
  @Query(() => ToolAccessAnswer)
  toolAccess(
    @Ctx() scope: RequestScope,
    @Arg('access', () => String) access: Requirement['access'],
    @Arg('level', () => String, { nullable: true }) level?: Requirement['level'],
    @Arg('workspaces', () => Boolean, { nullable: true }) workspaces?: Requirement['workspaces'],
    @Arg('plan', () => String, { nullable: true }) plan?: Requirement['plan'],
    @Arg('gates', () => [String], { nullable: true }) gates?: Requirement['gates'],
  ): Promise<ToolAccess> {
    return toolAccess(scope, { access, level, workspaces, plan, gates });
  }
}

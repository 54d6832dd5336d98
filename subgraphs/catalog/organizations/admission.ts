import { Arg, Authorized, Ctx, Directive, Int, Query, Resolver } from 'type-graphql';
import type { Admission, Requirement, ToolAccess } from '../../../schema/request.ts';
import { admit, toolAccess } from '../../common/identity/admission.ts';
import type { RequestScope } from '../../common/scope.ts';
import { AdmissionAnswer, ToolAccessAnswer } from './types.ts';

/** The gateway calls it before each request. Not part of the public API. */
@Resolver()
export class AdmissionResolver {
  @Authorized('public')
  @Directive('@inaccessible')
  @Query(() => AdmissionAnswer)
  admission(
    @Ctx() scope: RequestScope,
    @Arg('access', () => String) access: Requirement['access'],
    @Arg('plan', () => String, { nullable: true }) plan?: Requirement['plan'],
    @Arg('counter', () => String, { nullable: true }) counter?: Requirement['counter'],
    @Arg('points', () => Int, { nullable: true }) points?: number | null,
  ): Promise<Admission> {
    return admit(scope, { access, plan, counter, points: points ?? undefined });
  }

  @Authorized('public')
  @Directive('@inaccessible')
  @Query(() => ToolAccessAnswer)
  toolAccess(
    @Ctx() scope: RequestScope,
    @Arg('access', () => String) access: Requirement['access'],
    @Arg('plan', () => String, { nullable: true }) plan?: Requirement['plan'],
  ): ToolAccess {
    return toolAccess(scope, { access, plan });
  }
}

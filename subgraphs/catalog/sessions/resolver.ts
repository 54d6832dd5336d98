import { Arg, Authorized, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql';
import { sessions } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { Deleted } from '../attributes/types.ts';
import { Session } from './types.ts';

@Resolver(() => Session)
export class SessionResolver {
  @Authorized('user')
  @ListSize(sessions.MOST_SESSIONS)
  @Query(() => [Session], { description: 'The sessions of the caller in the dashboard, last used first.' })
  sessions(@Ctx() scope: RequestScope) {
    return sessions.listSessions(scope);
  }

  @Authorized('user')
  @Mutation(() => Deleted, { description: 'Sign the caller out on one device.' })
  endSession(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return sessions.endSession(scope, id);
  }

  @Authorized('user')
  @Mutation(() => Int, { description: 'Sign the caller out on all other devices. Returns the number of ended sessions.' })
  endOtherSessions(@Ctx() scope: RequestScope) {
    return sessions.endOtherSessions(scope);
  }

  @Authorized('admin')
  @Mutation(() => Int, {
    description:
      'Sign a member out on all devices, and cancel open sign-in links. Only an owner can sign an owner out, and members of several organizations sign out themselves. Returns the number of ended sessions.',
  })
  endMemberSessions(@Ctx() scope: RequestScope, @Arg('userId', () => ID) userId: string) {
    return sessions.endMemberSessions(scope, scope.caller.userId, userId);
  }
}

import { Arg, Authorized, Ctx, Directive, ID, Int, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { field, Id, output } from '../../../platform/fields/index.ts';
import { Access, sessions, signIn, User } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { NullIsAnswer } from '../../../platform/subgraph/index.ts';
import type { SignIn } from '../../../schema/request.ts';
import { Deleted } from '../attributes/entity.ts';

@ObjectType({ description: 'A sign-in of the caller to the dashboard, on one device.' })
class Session extends output({
  id: field(ID),
  device: field(String, 'Browser and operating system, such as `Firefox on Linux`.'),
  createdAt: field(Date),
  lastUsedAt: field(Date, 'Accurate to one minute.'),
  expiresAt: field(Date, '14 days after the last use, at the latest 90 days after the sign-in.'),
  isCurrent: field(Boolean, 'Whether this request belongs to the session.'),
}) {}

@ObjectType()
@Directive('@inaccessible')
class SignInAnswer extends output({
  user: field(User, { nullable: true }),
  organization: field(String, { nullable: true }),
  refusal: field(String, { nullable: true }).as<SignIn['refusal']>(),
}) {}

@ObjectType()
@Directive('@inaccessible')
class SessionAnswer extends output({
  user: field(User),
  expiresAt: field(Date),
}) {}

@Access('user')
@Resolver(() => Session)
export class SessionResolver {
  @ListSize(sessions.MOST_SESSIONS)
  @Query(() => [Session], { description: 'The sessions of the caller in the dashboard, last used first.' })
  sessions(@Ctx() scope: RequestScope) {
    return sessions.listSessions(scope);
  }

  @Mutation(() => Deleted, { description: 'Sign the caller out on one device.' })
  endSession(@Ctx() scope: RequestScope, @Id() id: string) {
    return sessions.endSession(scope, id);
  }

  @Mutation(() => Int, { description: 'Sign the caller out on all other devices. Returns the number of ended sessions.' })
  endOtherSessions(@Ctx() scope: RequestScope) {
    return sessions.endOtherSessions(scope);
  }

  @Authorized('admin')
  @Mutation(() => Int, {
    description:
      'Sign a member out on all devices, and cancel open sign-in links. Only an owner can sign an owner out, and members of several organizations sign out themselves. Returns the number of ended sessions.',
  })
  endMemberSessions(@Ctx() scope: RequestScope, @Id('userId') userId: string) {
    return sessions.endMemberSessions(scope, scope.caller.userId, userId);
  }
}

/** The gateway calls it for the sign-in routes of the dashboard. Not part of the public API. */
@Access('public')
@Resolver()
export class SignInResolver {
  @Directive('@inaccessible')
  @NullIsAnswer()
  @Query(() => SessionAnswer, { nullable: true })
  currentSession(@Ctx() scope: RequestScope) {
    return sessions.findCurrent(scope);
  }

  @Directive('@inaccessible')
  @Mutation(() => SignInAnswer)
  signInWithLink(
    @Ctx() scope: RequestScope,
    @Arg('token', () => String) token: string,
    @Arg('tokenHash', () => String) tokenHash: string,
    @Arg('userAgent', () => String) userAgent: string,
  ) {
    return signIn.signInWithLink(scope, token, { tokenHash, userAgent });
  }

  @Directive('@inaccessible')
  @Mutation(() => SignInAnswer)
  signInWithEmail(
    @Ctx() scope: RequestScope,
    @Arg('email', () => String) email: string,
    @Arg('name', () => String) name: string,
    @Arg('tokenHash', () => String) tokenHash: string,
    @Arg('userAgent', () => String) userAgent: string,
  ) {
    return signIn.signInWithEmail(scope, { email, name }, { tokenHash, userAgent });
  }

  @Directive('@inaccessible')
  @Mutation(() => Boolean)
  async signOut(@Ctx() scope: RequestScope) {
    await sessions.signOut(scope);
    return true;
  }
}

import { Arg, Authorized, Ctx, Directive, Mutation, Query, Resolver } from 'type-graphql';
import { sessions, signIn } from '../../../platform/identity/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { SessionAnswer, SignInAnswer } from './types.ts';

/** The gateway calls it for the sign-in routes of the dashboard. Not part of the public API. */
@Resolver()
export class SignInResolver {
  @Authorized('public')
  @Directive('@inaccessible')
  @Query(() => SessionAnswer, { nullable: true })
  currentSession(@Ctx() scope: RequestScope) {
    return sessions.findCurrent(scope);
  }

  @Authorized('public')
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

  @Authorized('public')
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

  @Authorized('public')
  @Directive('@inaccessible')
  @Mutation(() => Boolean)
  async signOut(@Ctx() scope: RequestScope) {
    await sessions.signOut(scope);
    return true;
  }
}

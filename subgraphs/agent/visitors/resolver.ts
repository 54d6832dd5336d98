import { Arg, Authorized, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { Id } from '../../../platform/fields/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { checkIdentity, embeddedAgent } from '../chat/sender.ts';
import { DeletedSigningSecret, NewSigningSecret, SigningSecret, VisitorIdentity } from './entity.ts';
import * as secrets from './signing-secrets.ts';

@Access('admin')
@Resolver(() => SigningSecret)
export class SigningSecretResolver {
  @ListSize(2)
  @Query(() => [SigningSecret], {
    nullable: true,
    description: 'The signing secrets of an agent without their values: at most one of each purpose.',
  })
  signingSecrets(@Ctx() scope: RequestScope, @Id('agentId') agentId: string) {
    return secrets.listSigningSecrets(scope, agentId);
  }

  @Mutation(() => NewSigningSecret, {
    description: 'Make the signing secret of a purpose, or replace it. The previous one stays valid for 24 hours.',
  })
  rotateSigningSecret(
    @Ctx() scope: RequestScope,
    @Id('agentId') agentId: string,
    @Arg('purpose', () => enumTypes.SigningPurpose) purpose: EnumValue<'SigningPurpose'>,
    @Arg('force', () => Boolean, { defaultValue: false, description: 'End the previous secret at once if it is still valid.' })
    force: boolean,
  ) {
    return secrets.rotateSigningSecret(scope, agentId, purpose, force);
  }

  @Mutation(() => DeletedSigningSecret, { description: 'Delete the signing secret of a purpose. It ends at once.' })
  deleteSigningSecret(
    @Ctx() scope: RequestScope,
    @Id('agentId') agentId: string,
    @Arg('purpose', () => enumTypes.SigningPurpose) purpose: EnumValue<'SigningPurpose'>,
  ) {
    return secrets.deleteSigningSecret(scope, agentId, purpose);
  }

  @Authorized('public')
  @Query(() => VisitorIdentity, {
    nullable: true,
    description:
      'The identity in the token of the request, and why a token is not valid. Stores nothing. The origin of the page must be allowed.',
  })
  async widgetIdentity(@Ctx() scope: RequestScope, @Arg('publicSlug', () => String) publicSlug: string) {
    return checkIdentity(scope, await embeddedAgent(scope, publicSlug));
  }
}

import { Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access, ApiKey, apiKeys, User } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { Deleted } from '../attributes/entity.ts';
import { ApiKeyChange, CreatedApiKey, NewApiKey } from './types.ts';

@Access('admin')
@Resolver(() => ApiKey)
export class KeyResolver {
  @ListSize(apiKeys.MOST_API_KEYS)
  @Query(() => [ApiKey], { description: 'The API keys created in the organization, newest first.' })
  apiKeys(@Ctx() scope: RequestScope) {
    return apiKeys.listApiKeys(scope);
  }

  @Idempotent({ shownOnce: ['key'] })
  @Mutation(() => CreatedApiKey, {
    description: 'Create an API key for the calling user, bound to the organization. Its value is returned only once.',
  })
  createApiKey(@Ctx() scope: RequestScope, @Args(() => NewApiKey) input: NewApiKey) {
    return apiKeys.createApiKey(scope, { ...input, userId: scope.caller.userId });
  }

  @Mutation(() => ApiKey, { description: 'Reject the key until it is enabled again.' })
  disableApiKey(@Ctx() scope: RequestScope, @Id() id: string) {
    return apiKeys.switchApiKey(scope, id, false);
  }

  @Mutation(() => ApiKey, { description: 'Accept a disabled key again.' })
  enableApiKey(@Ctx() scope: RequestScope, @Id() id: string) {
    return apiKeys.switchApiKey(scope, id, true);
  }

  @Mutation(() => ApiKey, { description: 'Replace the groups of MCP tools that a key may call. An empty list allows none.' })
  updateApiKey(@Ctx() scope: RequestScope, @Args(() => ApiKeyChange) { id, toolGroups }: ApiKeyChange) {
    return apiKeys.setToolGroups(scope, id, toolGroups);
  }

  @Mutation(() => Deleted, { description: 'Revoke a key permanently.' })
  revokeApiKey(@Ctx() scope: RequestScope, @Id() id: string) {
    return apiKeys.revokeApiKey(scope, id);
  }

  @FieldResolver(() => User, { nullable: true })
  user(@Ctx() scope: RequestScope, @Root() { userId }: ApiKey) {
    return scope.load(User, userId);
  }
}

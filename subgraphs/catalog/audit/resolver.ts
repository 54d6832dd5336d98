import { Args, Authorized, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import { ApiKey, AuditEntry, User } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import * as audit from './service.ts';
import { AuditChange, AuditEntryPage, AuditLogArguments } from './service.ts';

@Resolver(() => AuditEntry)
export class AuditResolver {
  @Authorized('admin')
  @Query(() => AuditEntryPage, {
    description:
      'The author of each change of the organization, its members, invitations, API keys, webhooks, agents with their tools and secrets, attribute sets, and names of brands and categories, and the sign-ins of members. Newest first.',
  })
  auditLog(@Ctx() scope: RequestScope, @Args(() => AuditLogArguments) filters: AuditLogArguments) {
    return audit.listEntries(scope, filters);
  }

  @ListSize(10)
  @FieldResolver(() => [String], { description: 'Names of the changed settings, without their values.' })
  fields(@Root() entry: AuditEntry) {
    return audit.settingsOf(entry);
  }

  @ListSize(10)
  @FieldResolver(() => [AuditChange], {
    description:
      'Old and new values of changed switches, numbers and choices, and names of brands and categories. Other texts, which may be confidential, are not stored.',
  })
  changes(@Root() entry: AuditEntry) {
    return audit.changesOf(entry);
  }

  @FieldResolver(() => User, {
    nullable: true,
    description: 'Null for changes by the operator or the system, and for users who never were members.',
  })
  user(@Ctx() scope: RequestScope, @Root() { userId }: AuditEntry) {
    return userId && audit.findActor(scope, userId);
  }

  @FieldResolver(() => ApiKey, {
    nullable: true,
    description:
      'The API key that made the change; null for sessions, and for keys of the user that belong to no or another organization.',
  })
  apiKey(@Ctx() scope: RequestScope, @Root() { keyId }: AuditEntry) {
    return keyId && scope.load(ApiKey, keyId);
  }
}

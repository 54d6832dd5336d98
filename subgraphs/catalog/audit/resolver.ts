import { Args, Authorized, Ctx, FieldResolver, ID, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { type Bind, isId, readRows } from '../../../platform/database/index.ts';
import { args, field, list, output } from '../../../platform/fields/index.ts';
import { ApiKey, AuditEntry, User } from '../../../platform/identity/index.ts';
import { type ListPage, ListSize, listPage, PageOf, pageArguments, paginate } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';

@Resolver(() => AuditEntry)
export class AuditResolver {
  @Authorized('admin')
  @Query(() => AuditEntryPage, {
    description:
      'The author of each change of the organization, its members, invitations, API keys, webhooks, agents with their tools and secrets, attribute sets, and names of brands and categories, and the sign-ins of members. Newest first.',
  })
  async auditLog(
    @Ctx() scope: RequestScope,
    @Args(() => AuditLogArguments) { page, limit, ...filters }: AuditLogArguments,
  ): Promise<ListPage<AuditEntry>> {
    const { subject, subjectId, action, userId, since, until } = filters;
    // No record has a malformed id.
    if ([subjectId, userId].some((id) => id && !isId(id))) return paginate([], { page, limit }, 0);
    const times = (bind: Bind) =>
      [since && `r.created_at >= ${bind(since)}`, until && `r.created_at < ${bind(until)}`].filter(Boolean).join(' and ');
    return listPage(
      scope,
      AuditEntry,
      {
        where: {
          ...(subject && { subject }),
          ...(subjectId && { subjectId }),
          ...(action && { action }),
          ...(userId && { userId }),
        },
        ...((since || until) && { matching: times }),
        orderBy: { createdAt: 'desc', id: 'desc' },
      },
      { page, limit },
    );
  }

  /** Names of changed settings as in GraphQL, such as `modelType`. */
  @ListSize(10)
  @FieldResolver(() => [String], { description: 'Names of the changed settings, without their values.' })
  fields(@Root() { fields }: AuditEntry): string[] {
    return fields.map(settingOf);
  }

  @ListSize(10)
  @FieldResolver(() => [AuditChange], {
    description:
      'Old and new values of changed switches, numbers and choices, and names of brands and categories. Other texts, which may be confidential, are not stored.',
  })
  changes(@Root() { changes }: AuditEntry): AuditChange[] {
    return Object.entries(changes)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([column, [before, after]]) => ({ field: settingOf(column), before: textsOf(before), after: textsOf(after) }));
  }

  @FieldResolver(() => User, {
    nullable: true,
    description: 'Null for changes by the operator or the system, and for users who never were members.',
  })
  user(@Ctx() scope: RequestScope, @Root() { userId }: AuditEntry) {
    return userId && findActor(scope, userId);
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

@ObjectType({ description: 'One page of the audit log.' })
class AuditEntryPage extends PageOf(AuditEntry, 'AuditEntryPage') {}

class AuditLogArguments extends args(pageArguments(50), {
  subject: field(enumTypes.AuditSubject, { nullable: true, description: 'Only changes of this kind of record.' }),
  subjectId: field(ID, { nullable: true, description: 'Only changes of this record.' }),
  action: field(enumTypes.AuditAction, { nullable: true }),
  userId: field(ID, { nullable: true, description: 'Only changes by this user.' }),
  since: field(Date, { nullable: true, description: 'Only changes at or after this time.' }),
  until: field(Date, { nullable: true, description: 'Only changes before this time.' }),
}) {}

/** A current or former member of the organization, or null. Batches a list into one query. */
const findActor = (scope: RequestScope, userId: string): Promise<User | null> =>
  scope.batch(findActor, async (ids) => {
    const matching = (bind: Bind) => {
      const organization = bind(scope.organizationId);
      return `(exists (select from identity.memberships m where m.organization_id = ${organization} and m.user_id = r.id)
        or exists (select from identity.audit_entries e
                    where e.organization_id = ${organization} and e.subject = 'member' and e.subject_id = r.id))`;
    };
    const users = await readRows(scope, User, { where: { id: ids }, matching });
    return new Map(users.map((user) => [user.id, user]));
  })(userId);

/** The name of a column as in GraphQL, such as `modelType`. */
const settingOf = (column: string): string => column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

@ObjectType({ description: 'The old and the new value of a changed setting.' })
class AuditChange extends output({
  field: field(String, 'The name of the setting, as in `fields`.'),
  before: list(String, 'As text; `true` or `false` for a switch. Empty for no value.'),
  after: list(String, 'As text; `true` or `false` for a switch. Empty for no value.'),
}) {}

const textsOf = (content: unknown): string[] => [content ?? []].flat().map(String);

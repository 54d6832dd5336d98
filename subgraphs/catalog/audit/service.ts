import { AuditEntry } from '../../common/audit/entity.ts';
import { isId } from '../../common/ids.ts';
import { listPage, type Page, paginate } from '../../common/page.ts';
import type { Bind } from '../../common/rows.ts';
import type { Scope } from '../../common/scope.ts';
import type { AuditLogArguments } from './types.ts';

/** The changes of the organization, newest first. */
export async function listEntries(scope: Scope, { page, limit, ...filters }: AuditLogArguments): Promise<Page<AuditEntry>> {
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
export const settingsOf = ({ fields }: Pick<AuditEntry, 'fields'>): string[] =>
  fields.map((field) => field.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()));

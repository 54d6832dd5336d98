import { Args, Authorized, Ctx, ID, ObjectType, Query, Resolver } from 'type-graphql';
import { v7 as uuid } from 'uuid';
import { clock, column, columns, hidden, Owned, query, sql, Table } from '../../../platform/database/index.ts';
import { args, field } from '../../../platform/fields/index.ts';
import { listPage, sizeOf } from '../../../platform/lists/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { ListOf, PageArguments } from '../site-list.ts';
import { isEditor, readableSite } from './access.ts';

@ObjectType({
  description: 'A former path or slug of a page, an item or a post. Requests for it should be redirected to the current one.',
})
@Table('site_content.redirects')
export class Redirect extends columns(Owned, {
  siteId: hidden('uuid'),
  parentId: hidden('uuid'),
  kind: column(enumTypes.RedirectKind),
  address: column('string', 'The former path of a page, or the former slug of an item or a post.'),
  recordId: column('uuid', 'The page, item or post that had this address.'),
  /** Whether the record is published. Triggers maintain it. */
  published: hidden('boolean'),
  createdAt: column('datetime', { initial: clock.now }),
}) {}

interface Addressed {
  id: string;
  siteId: string;
}

/** The namespace of addresses: a site or a collection, and the kind of its records. */
interface Space {
  kind: EnumValue<'RedirectKind'>;
  parentId: string;
}

/** Take an address for a record: a former address of another record no longer leads there. */
export async function takeAddress({ em, organizationId }: Scope, { kind, parentId }: Space, address: string): Promise<void> {
  await query(
    em,
    sql`delete from site_content.redirects
         where parent_id = ${parentId} and kind = ${kind} and address = ${address} and organization_id = ${organizationId}`,
  );
}

/** Keep a redirect from the former address of a record. */
export async function moveAddress(scope: Scope, space: Space, record: Addressed, from: string, to: string): Promise<void> {
  if (from === to) return;
  await takeAddress(scope, space, to);
  const { em, organizationId } = scope;
  await query(
    em,
    sql`insert into site_content.redirects (id, organization_id, site_id, parent_id, kind, address, record_id)
        values (${uuid()}, ${organizationId}, ${record.siteId}, ${space.parentId}, ${space.kind}, ${from}, ${record.id})
        on conflict (parent_id, kind, address)
        do update set record_id = excluded.record_id, published = excluded.published, created_at = now()`,
  );
}

/** Delete the redirects to a deleted record. */
export async function dropAddresses({ em }: Scope, recordId: string): Promise<void> {
  await em.nativeDelete(Redirect, { recordId });
}

class RedirectsArguments extends args(PageArguments, {
  siteId: field(ID),
}) {}

@ObjectType({ description: 'One page of redirects.' })
class RedirectList extends ListOf(Redirect, 'RedirectList') {}

const DESCRIPTION =
  'The former paths and slugs of the content of a site, sorted by kind and address. Readers see only those of published records.';

@Resolver(() => Redirect)
export class RedirectResolver {
  @Authorized('member')
  @Query(() => RedirectList, { nullable: true, description: DESCRIPTION })
  async redirects(
    @Ctx() scope: RequestScope,
    @Args(() => RedirectsArguments) { siteId, page, perPage }: RedirectsArguments,
  ): Promise<RedirectList> {
    const site = await readableSite(scope, siteId);
    const columns = ['id', 'kind', 'address', 'recordId', 'createdAt'] as const;
    const seesDrafts = await isEditor(scope, site.workspaceId);
    const where = { siteId: site.id, ...(!seesDrafts && { published: true }) };
    const rows = { columns, where, ordering: 'r.kind, r.address, r.id' };
    const size = sizeOf('redirects', [site.id, seesDrafts ? null : 'true']);
    const { nodes, pagination } = await listPage(scope, Redirect, rows, { page, limit: perPage }, size);
    return { nodes, meta: { page, perPage, total: pagination.total, totalPages: pagination.totalPages } };
  }
}

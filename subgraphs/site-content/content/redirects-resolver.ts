import { Args, Authorized, Ctx, ID, ObjectType, Query, Resolver } from 'type-graphql';
import { args, field } from '../../../platform/fields/index.ts';
import { listPage, sizeOf } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { ListOf, PageArguments } from '../site-list.ts';
import { isEditor, readableSite } from './access.ts';
import { Redirect } from './addresses.ts';

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

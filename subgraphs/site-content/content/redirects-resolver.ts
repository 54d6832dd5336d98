import { Args, Authorized, Ctx, Query, Resolver } from 'type-graphql';
import { listPage } from '../../common/page.ts';
import type { RequestScope } from '../../common/scope.ts';
import { readableSite } from './access.ts';
import { Redirect } from './addresses.ts';
import { RedirectList, RedirectsArguments } from './types.ts';

@Resolver(() => Redirect)
export class RedirectResolver {
  @Authorized('member')
  @Query(() => RedirectList, { description: 'The former paths and slugs of the content of a site, sorted by kind and address.' })
  async redirects(
    @Ctx() scope: RequestScope,
    @Args(() => RedirectsArguments) { siteId, page, perPage }: RedirectsArguments,
  ): Promise<RedirectList> {
    const site = await readableSite(scope, siteId);
    const columns = ['id', 'kind', 'address', 'recordId', 'createdAt'] as const;
    const rows = { columns, where: { siteId: site.id }, ordering: 'r.kind, r.address, r.id' };
    const { nodes, pagination } = await listPage(scope, Redirect, rows, { page, limit: perPage });
    return { nodes, meta: { page, perPage, total: pagination.total, totalPages: pagination.totalPages } };
  }
}

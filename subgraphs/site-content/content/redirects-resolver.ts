import { Args, Authorized, Ctx, Query, Resolver } from 'type-graphql';
import { listPage } from '../../common/lists/page.ts';
import type { RequestScope } from '../../common/scope.ts';
import { isEditor, readableSite } from './access.ts';
import { Redirect } from './addresses.ts';
import { RedirectList, RedirectsArguments } from './types.ts';

const DESCRIPTION =
  'The former paths and slugs of the content of a site, sorted by kind and address. Readers see those of published records.';

const OF_PUBLISHED = `case r.kind
  when 'page' then exists (select 1 from site_content.pages p where p.id = r.record_id and p.status = 'published')
  when 'item' then exists (select 1 from site_content.items i where i.id = r.record_id and i.status = 'published')
  else exists (select 1 from site_content.posts o where o.id = r.record_id and o.status = 'published') end`;

@Resolver(() => Redirect)
export class RedirectResolver {
  @Authorized('member')
  @Query(() => RedirectList, { description: DESCRIPTION })
  async redirects(
    @Ctx() scope: RequestScope,
    @Args(() => RedirectsArguments) { siteId, page, perPage }: RedirectsArguments,
  ): Promise<RedirectList> {
    const site = await readableSite(scope, siteId);
    const columns = ['id', 'kind', 'address', 'recordId', 'createdAt'] as const;
    const seesDrafts = await isEditor(scope, site.workspaceId);
    const rows = {
      columns,
      where: { siteId: site.id },
      ordering: 'r.kind, r.address, r.id',
      ...(!seesDrafts && { matching: () => OF_PUBLISHED }),
    };
    const { nodes, pagination } = await listPage(scope, Redirect, rows, { page, limit: perPage });
    return { nodes, meta: { page, perPage, total: pagination.total, totalPages: pagination.totalPages } };
  }
}

import { Arg, Args, Ctx, FieldResolver, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { requireEditorOfSite } from '../content/access.ts';
import { publish, schedule, unpublish } from '../content/edit.ts';
import { DeletedContent, EDITORS, NestedPublishableArguments, PublishableListArguments, VERSION } from '../content/entity.ts';
import { Site } from '../sites/entity.ts';
import { NewPage, Page, PageChange, PageList } from './entity.ts';
import * as pages from './service.ts';

@Access('member')
@Resolver(() => Page)
export class PageResolver {
  @Query(() => PageList, { nullable: true, description: 'The pages of a site, sorted by path.' })
  pages(@Ctx() scope: RequestScope, @Args(() => PublishableListArguments) request: PublishableListArguments) {
    return pages.listPages(scope, request);
  }

  @Query(() => Page, { nullable: true, description: 'One page of a site. Only editors can read drafts.' })
  page(@Ctx() scope: RequestScope, @Id('siteId') siteId: string, @Id() id: string) {
    return pages.findPage(scope, siteId, id);
  }

  @Idempotent({ prepares: true, authorize: requireEditorOfSite })
  @Mutation(() => Page, { description: `Create a page as a draft. ${EDITORS}` })
  createPage(@Ctx() scope: RequestScope, @Id('siteId') siteId: string, @Arg('input', () => NewPage) input: NewPage) {
    return pages.createPage(scope, siteId, input);
  }

  @Mutation(() => Page, { description: `Change a page. ${EDITORS}` })
  updatePage(
    @Ctx() scope: RequestScope,
    @Id() id: string,
    @Arg('version', () => Int, { description: VERSION }) version: number,
    @Arg('input', () => PageChange) input: PageChange,
  ) {
    return pages.updatePage(scope, id, version, input);
  }

  @Mutation(() => Page, { description: `Publish a page. Publishing it again updates \`publishedAt\`. ${EDITORS}` })
  publishPage(@Ctx() scope: RequestScope, @Id() id: string) {
    return pages.publishPage(scope, id, publish);
  }

  @Mutation(() => Page, { description: `Turn a page back into a draft, or cancel its schedule. ${EDITORS}` })
  unpublishPage(@Ctx() scope: RequestScope, @Id() id: string) {
    return pages.publishPage(scope, id, unpublish);
  }

  @Mutation(() => Page, { description: `Publish a page at a later time. Until then it is not visible. ${EDITORS}` })
  schedulePage(
    @Ctx() scope: RequestScope,
    @Id() id: string,
    @Arg('publishAt', () => Date, { description: 'In the future.' }) publishAt: Date,
  ) {
    return pages.publishPage(scope, id, (page) => schedule(page, publishAt));
  }

  @Mutation(() => DeletedContent, { description: `Delete a page with its redirects. ${EDITORS}` })
  deletePage(@Ctx() scope: RequestScope, @Id() id: string) {
    return pages.deletePage(scope, id);
  }

  @FieldResolver(() => String, { description: 'Sanitized HTML.' })
  content(@Ctx() scope: RequestScope, @Root() page: Page) {
    return pages.contentOf(scope.within(page.organizationId), page);
  }
}

@Resolver(() => Site)
export class SitePagesResolver {
  // Nullable, so that an error in one site does not null the others.
  @FieldResolver(() => PageList, {
    nullable: true,
    description: 'Sorted by path. Null, with an error, if the caller may not read drafts.',
  })
  pages(
    @Ctx() scope: RequestScope,
    @Root() site: Site,
    @Args(() => NestedPublishableArguments) request: NestedPublishableArguments,
  ) {
    return pages.listPagesOf(scope.within(site.organizationId), site, request);
  }
}

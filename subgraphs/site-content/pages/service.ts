import { Arg, Args, Ctx, FieldResolver, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { isId, readRows } from '../../../platform/database/index.ts';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { cleanHtml } from '../../../platform/reading/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import { isReadable, readableSite, requireEditorOfSite } from '../content/access.ts';
import { dropAddresses, moveAddress, takeAddress } from '../content/addresses.ts';
import { deleteRecord, editRecord, editSite, emitEvent, flushUnique, pick, startVersion, statusWhere } from '../content/edit.ts';
import { EDITORS, NestedPublishableArguments, PUBLISHABLE_COLUMNS, PublishableListArguments, VERSION } from '../content/entity.ts';
import { publicationOf } from '../content/publishing.ts';
import { type ListSource, list, nestedList } from '../site-list.ts';
import { Site } from '../sites/entity.ts';
import { NewPage, Page, PageChange, PageList, type PageSeo } from './entity.ts';

@Access('member')
@Resolver(() => Page)
export class PageResolver {
  @Query(() => PageList, { nullable: true, description: 'The pages of a site, sorted by path.' })
  async pages(
    @Ctx() scope: RequestScope,
    @Args(() => PublishableListArguments) { siteId, status, ...page }: PublishableListArguments,
  ) {
    const site = await readableSite(scope, siteId, status);
    return list(scope, pagesOf(status), site.id, page);
  }

  /** Throws `NOT_FOUND`, also for a page of another site and for a draft that the caller may not see. */
  @Query(() => Page, { nullable: true, description: 'One page of a site. Only editors can read drafts.' })
  async page(@Ctx() scope: RequestScope, @Id('siteId') siteId: string, @Id() id: string): Promise<Page> {
    const [page] = isId(siteId) && isId(id) ? await readRows(scope, Page, { columns: COLUMNS, where: { id, siteId } }) : [];
    return page && (await isReadable(scope, page)) ? page : notFound();
  }

  /** Throws `CONFLICT` for a taken path. */
  @Idempotent({ prepares: true, authorize: requireEditorOfSite })
  @Mutation(() => Page, { description: `Create a page as a draft. ${EDITORS}` })
  async createPage(
    @Ctx() scope: RequestScope,
    @Id('siteId') siteId: string,
    @Arg('input', () => NewPage) { title, slug, path, seo, ...input }: NewPage,
  ): Promise<Page> {
    // Not in the transaction, which other editors of the organization wait for.
    const content = await cleanHtml(scope.organizationId, input.content);
    return editSite(scope, siteId, async (inner, site) => {
      const page = inner.em.create(Page, {
        organizationId: inner.organizationId,
        siteId: site.id,
        title,
        slug,
        path: path ?? `/${slug}`,
        content,
        seo: seoOf(seo),
      });
      await flushUnique(inner, taken(page.path));
      await takeAddress(inner, { kind: 'page', parentId: site.id }, page.path);
      await emitEvent(inner, 'page.created', site.workspaceId, eventOf(page));
      return page;
    });
  }

  /** Change a page and keep a redirect from its former path. Throws `CONFLICT` for another version or a taken path. */
  @Mutation(() => Page, { description: `Change a page. ${EDITORS}` })
  async updatePage(
    @Ctx() scope: RequestScope,
    @Id() id: string,
    @Arg('version', () => Int, { description: VERSION }) version: number,
    @Arg('input', () => PageChange) input: PageChange,
  ): Promise<Page> {
    const content = typeof input.content === 'string' ? await cleanHtml(scope.organizationId, input.content) : undefined;
    return changePage(scope, id, async (inner, page) => {
      if (!startVersion(page, version, input)) return false;
      const from = page.path;
      page.title = input.title ?? page.title;
      page.slug = input.slug ?? page.slug;
      page.path = input.path ?? page.path;
      if (content !== undefined) page.content = content;
      if (input.seo) page.seo = seoOf(input.seo);
      await flushUnique(inner, taken(page.path));
      await moveAddress(inner, { kind: 'page', parentId: page.siteId }, page, from, page.path);
      return true;
    });
  }

  @FieldResolver(() => String, { description: 'Sanitized HTML.' })
  content(@Ctx() scope: RequestScope, @Root() page: Page) {
    return contentOf(scope.within(page.organizationId), page);
  }
}

export const PagePublicationResolver = publicationOf({
  type: Page,
  name: 'Page',
  noun: 'a page',
  change: (scope, id, edit) =>
    changePage(scope, id, async (_, page) => {
      edit(page);
      return true;
    }),
  deletion: {
    description: 'Delete a page with its redirects.',
    run: (scope, id) =>
      editRecord(scope, Page, 'Page', id, async (inner, page, site) => {
        await dropAddresses(inner, page.id);
        await emitEvent(inner, 'page.deleted', site.workspaceId, eventOf(page));
        return deleteRecord(inner, Page, page);
      }),
  },
});

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
    return listPagesOf(scope.within(site.organizationId), site, request);
  }
}

const COLUMNS = [...PUBLISHABLE_COLUMNS, 'title', 'slug', 'path', 'seo'] as const;

const pagesOf = (status: EnumValue<'PublicationFilter'>): ListSource<Page> => ({
  name: 'pages',
  entity: Page,
  parent: 'siteId',
  rows: { columns: COLUMNS, where: statusWhere(status), ordering: 'r.path, r.id' },
});

/** The pages of a site as a field of the site. */
async function listPagesOf(scope: RequestScope, site: Site, { status, ...page }: NestedPublishableArguments) {
  await readableSite(scope, site.id, status);
  return nestedList(scope, pagesOf(status), site.id, page);
}

/** The content of a page. Batches a list into one query. */
async function contentOf(scope: RequestScope, { id, content }: Page): Promise<string> {
  if (content !== undefined) return content;
  const read = scope.batch('contents of pages', async (ids) => {
    const rows = await readRows(scope, Page, { columns: ['id', 'content'], where: { id: ids } });
    return new Map(rows.map((row) => [row.id, row.content]));
  });
  return (await read(id)) ?? '';
}

/** `edit` returns whether it changed the page. */
const changePage = (scope: RequestScope, id: string, edit: (inner: RequestScope, page: Page) => Promise<boolean>): Promise<Page> =>
  editRecord(scope, Page, 'Page', id, async (inner, page, site) => {
    if (!(await edit(inner, page))) return page;
    await inner.em.flush();
    await emitEvent(inner, 'page.updated', site.workspaceId, eventOf(page));
    return page;
  });

/** The data of the events of a page. */
export const eventOf = (page: Page) =>
  pick(page, ['id', 'siteId', 'title', 'slug', 'path', 'status', 'seo', 'publishedAt', 'createdAt', 'updatedAt']);

const seoOf = (seo: Partial<PageSeo> | null | undefined): PageSeo => ({
  title: seo?.title ?? null,
  description: seo?.description ?? null,
});

const taken = (path: string) => `A page with the path ${path} already exists in the site.`;

function notFound(): never {
  throw fail('NOT_FOUND', 'Page not found');
}

import { Arg, Args, Ctx, FieldResolver, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { isId, readRows, requireAll } from '../../../platform/database/index.ts';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import { cleanHtml } from '../../../platform/reading/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import { isReadable, readableSite, requireEditorOfSite } from '../content/access.ts';
import { dropAddresses, moveAddress, takeAddress } from '../content/addresses.ts';
import { deleteRecord, editRecord, editSite, emitEvent, flushUnique, pick, startVersion, statusWhere } from '../content/edit.ts';
import {
  EDITORS,
  type NestedPublishableArguments,
  PUBLISHABLE_COLUMNS,
  PublishableListArguments,
  VERSION,
} from '../content/entity.ts';
import { publicationOf } from '../content/publishing.ts';
import { type ListSource, list, nestedList } from '../site-list.ts';
import type { Site } from '../sites/entity.ts';
import { Author, NewPost, Post, PostCategory, PostChange, PostList } from './entity.ts';

const COLUMNS = [...PUBLISHABLE_COLUMNS, 'title', 'slug', 'excerpt', 'content', 'authorId', 'categoryIds', 'coverImage'] as const;

const labelOf = (alias: string, ...more: string[]) =>
  `jsonb_build_object('id', ${alias}.id, 'organizationId', ${alias}.organization_id, 'siteId', ${alias}.site_id, 'name', ${alias}.name,
     'slug', ${alias}.slug, ${more.map((each) => `${each}, `).join('')}'version', ${alias}.version, 'createdAt', ${alias}.created_at,
     'updatedAt', ${alias}.updated_at)`;
/** The author and the categories of each post, in the statement of the list. */
const JOINED = {
  author: `(select ${labelOf('a', "'bio', a.bio", "'avatarUrl', a.avatar_url")} from site_content.authors a where a.id = r.author_id)`,
  categories: `coalesce((select jsonb_agg(${labelOf('c')} order by array_position(r.category_ids, c.id))
                          from site_content.categories c where c.id = any(r.category_ids)), '[]')`,
};

/** A post as lists read it, with its author and categories. */
type JoinedPost = Post & { author?: Author | null; categories?: PostCategory[] };

const postsOf = (status: EnumValue<'PublicationFilter'>): ListSource<Post> => ({
  name: 'posts',
  entity: Post,
  parent: 'siteId',
  rows: { columns: COLUMNS, joined: JOINED, where: statusWhere(status), ordering: 'r.created_at desc, r.id desc' },
});

@Access('member')
@Resolver(() => Post)
export class PostResolver {
  @Query(() => PostList, { nullable: true, description: 'The posts of a site, newest first.' })
  async posts(
    @Ctx() scope: RequestScope,
    @Args(() => PublishableListArguments) { siteId, status, ...page }: PublishableListArguments,
  ) {
    const site = await readableSite(scope, siteId, status);
    return list(scope, postsOf(status), site.id, page);
  }

  /** Throws `NOT_FOUND`, also for a post of another site and for a draft that the caller may not see. */
  @Query(() => Post, { nullable: true, description: 'One post of a site. Only editors can read drafts.' })
  async post(@Ctx() scope: RequestScope, @Id('siteId') siteId: string, @Id() id: string) {
    const [post] =
      isId(siteId) && isId(id) ? await readRows(scope, Post, { columns: COLUMNS, joined: JOINED, where: { id, siteId } }) : [];
    if (post && (await isReadable(scope, post))) return post;
    throw fail('NOT_FOUND', 'Post not found');
  }

  /** Throws `CONFLICT` for a taken slug, and `NOT_FOUND` for an author or category of another site. */
  @Idempotent({ prepares: true, authorize: requireEditorOfSite })
  @Mutation(() => Post, { description: `Create a post as a draft. ${EDITORS}` })
  async createPost(@Ctx() scope: RequestScope, @Id('siteId') siteId: string, @Arg('input', () => NewPost) input: NewPost) {
    const { title, slug, excerpt, coverImage } = input;
    // Not in the transaction, which other editors of the organization wait for.
    const content = await cleanHtml(scope.organizationId, input.content);
    return editSite(scope, siteId, async (inner, site) => {
      const links = await linksOf(inner, site.id, input);
      const post = inner.em.create(Post, {
        organizationId: inner.organizationId,
        siteId: site.id,
        title,
        slug,
        excerpt,
        content,
        coverImage: coverImage ?? null,
        authorId: null,
        categoryIds: [],
        ...links,
      });
      await flushUnique(inner, taken(slug));
      await takeAddress(inner, { kind: 'post', parentId: site.id }, slug);
      return post;
    });
  }

  /** Keeps a redirect from the former slug. Throws like `createPost`, and `CONFLICT` for another version. */
  @Mutation(() => Post, { description: `Change a post. ${EDITORS}` })
  async updatePost(
    @Ctx() scope: RequestScope,
    @Id() id: string,
    @Arg('version', () => Int, { description: VERSION }) version: number,
    @Arg('input', () => PostChange) input: PostChange,
  ) {
    const content = typeof input.content === 'string' ? await cleanHtml(scope.organizationId, input.content) : undefined;
    return editRecord(scope, Post, 'Post', id, async (inner, post, site) => {
      const links = await linksOf(inner, site.id, input);
      if (!startVersion(post, version, input)) return post;
      const from = post.slug;
      post.title = input.title ?? post.title;
      post.slug = input.slug ?? post.slug;
      post.excerpt = input.excerpt ?? post.excerpt;
      if (content !== undefined) post.content = content;
      if (input.coverImage !== undefined) post.coverImage = input.coverImage;
      Object.assign(post, links);
      await flushUnique(inner, taken(post.slug));
      await moveAddress(inner, { kind: 'post', parentId: site.id }, post, from, post.slug);
      await emitPost(inner, 'blog.post.updated', site, post);
      return post;
    });
  }

  @FieldResolver(() => Author, { nullable: true })
  author(@Ctx() scope: RequestScope, @Root() { author, authorId, organizationId }: JoinedPost) {
    return author === undefined && authorId ? scope.within(organizationId).load(Author, authorId) : (author ?? null);
  }

  @ListSize(20)
  @FieldResolver(() => [PostCategory], { description: 'In the order in which the post lists them.' })
  async categories(@Ctx() scope: RequestScope, @Root() { categories, categoryIds, organizationId }: JoinedPost) {
    if (categories) return categories;
    const found = await Promise.all(categoryIds.map((id) => scope.within(organizationId).load(PostCategory, id)));
    return found.filter((category) => category !== null);
  }
}

export const PostPublicationResolver = publicationOf({
  type: Post,
  name: 'Post',
  noun: 'a post',
  change: (scope, id, edit) =>
    editRecord(scope, Post, 'Post', id, async (inner, post, site) => {
      edit(post);
      await inner.em.flush();
      await emitPost(inner, post.status === 'published' ? 'blog.post.published' : 'blog.post.updated', site, post);
      return post;
    }),
  deletion: {
    description: 'Delete a post with its redirects.',
    run: (scope, id) =>
      editRecord(scope, Post, 'Post', id, async (inner, post, site) => {
        await dropAddresses(inner, post.id);
        await emitPost(inner, 'blog.post.deleted', site, post);
        return deleteRecord(inner, Post, post);
      }),
  },
});

/** The posts of a site as a field of the site. */
export async function listPostsOf(scope: RequestScope, site: Site, { status, ...page }: NestedPublishableArguments) {
  await readableSite(scope, site.id, status);
  return nestedList(scope, postsOf(status), site.id, page);
}

/** The author and categories that an input sets. Throws `NOT_FOUND` unless they belong to the site. */
async function linksOf({ em }: Scope, siteId: string, { authorId, categoryIds }: Pick<PostChange, 'authorId' | 'categoryIds'>) {
  const links: Partial<Pick<Post, 'authorId' | 'categoryIds'>> = {};
  if (authorId !== undefined) {
    const read = (ids: string[]) => em.find(Author, { id: { $in: ids }, siteId });
    const [author] = await requireAll(authorId === null ? [] : [authorId], 'Author', read);
    links.authorId = author?.id ?? null;
  }
  if (categoryIds) {
    const categories = await requireAll(categoryIds, 'Category', (ids) => em.find(PostCategory, { id: { $in: ids }, siteId }));
    links.categoryIds = categories.map(({ id }) => id);
  }
  return links;
}

const EVENT_COLUMNS = [
  'id',
  'siteId',
  'title',
  'slug',
  'excerpt',
  'status',
  'authorId',
  'categoryIds',
  'coverImage',
  'publishedAt',
  'createdAt',
  'updatedAt',
] as const;

/** The data of the events of posts, without deleted categories. */
export async function eventsOf({ em }: Scope, posts: readonly Post[]): Promise<object[]> {
  const ids = [...new Set(posts.flatMap(({ categoryIds }) => categoryIds))];
  const known = new Set((await em.find(PostCategory, { id: { $in: ids } })).map(({ id }) => id));
  return posts.map((post) => ({ ...pick(post, EVENT_COLUMNS), categoryIds: post.categoryIds.filter((id) => known.has(id)) }));
}

async function emitPost(scope: Scope, event: EnumValue<'SiteEvent'>, { workspaceId }: Site, post: Post): Promise<void> {
  const [data] = await eventsOf(scope, [post]);
  await emitEvent(scope, event, workspaceId, data!);
}

const taken = (slug: string) => `A post with the slug ${slug} already exists in the site.`;

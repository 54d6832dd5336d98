import type { EntityClass } from '@mikro-orm/postgresql';
import { Arg, Args, Ctx, FieldResolver, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { isId, type Rows, readRows } from '../../../platform/database/index.ts';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { readableSite, requireEditorOfSite } from '../content/access.ts';
import { deleteRecord, editRecord, editSite, flushUnique, startVersion } from '../content/edit.ts';
import {
  DeletedContent,
  EDITORS,
  NestedPublishableArguments,
  RECORD_COLUMNS,
  SiteListArguments,
  VERSION,
} from '../content/entity.ts';
import { type ListSource, list, nestedList, PageArguments } from '../site-list.ts';
import { Site } from '../sites/entity.ts';
import {
  Author,
  AuthorChange,
  AuthorList,
  NewAuthor,
  NewPostCategory,
  Post,
  PostCategory,
  PostCategoryChange,
  PostCategoryList,
  PostList,
} from './entity.ts';
import * as posts from './posts.ts';

@Access('member')
@Resolver()
export class PostLabelResolver {
  @Query(() => AuthorList, { nullable: true, description: 'The authors of a site, sorted by name.' })
  async postAuthors(@Ctx() scope: RequestScope, @Args(() => SiteListArguments) { siteId, ...page }: SiteListArguments) {
    const site = await readableSite(scope, siteId);
    return list(scope, AUTHORS, site.id, page);
  }

  @Query(() => PostCategoryList, { nullable: true, description: 'The categories of the posts of a site, sorted by name.' })
  async postCategories(@Ctx() scope: RequestScope, @Args(() => SiteListArguments) { siteId, ...page }: SiteListArguments) {
    const site = await readableSite(scope, siteId);
    return list(scope, CATEGORIES, site.id, page);
  }

  /** Throws `NOT_FOUND`, also for an author of another site. */
  @Query(() => Author, { nullable: true, description: 'One author of a site.' })
  postAuthor(@Ctx() scope: RequestScope, @Id('siteId') siteId: string, @Id() id: string) {
    return findLabel(scope, AUTHORS, 'Author', siteId, id);
  }

  @Query(() => PostCategory, { nullable: true, description: 'One category of the posts of a site.' })
  postCategory(@Ctx() scope: RequestScope, @Id('siteId') siteId: string, @Id() id: string) {
    return findLabel(scope, CATEGORIES, 'Category', siteId, id);
  }

  @Idempotent({ prepares: true, authorize: requireEditorOfSite })
  @Mutation(() => Author, { description: `Create an author. ${EDITORS}` })
  createPostAuthor(
    @Ctx() scope: RequestScope,
    @Id('siteId') siteId: string,
    @Arg('input', () => NewAuthor) input: NewAuthor,
  ): Promise<Author> {
    return editSite(scope, siteId, async (inner, site) => {
      const { name, slug, bio = null, avatarUrl = null } = input;
      const { organizationId } = inner;
      const author = inner.em.create(Author, { organizationId, siteId: site.id, name, slug, bio, avatarUrl });
      await flushUnique(inner, taken('author', slug));
      return author;
    });
  }

  /** Throws `CONFLICT` for another version or a taken slug. */
  @Mutation(() => Author, { description: `Change an author. ${EDITORS}` })
  updatePostAuthor(
    @Ctx() scope: RequestScope,
    @Id() id: string,
    @Arg('version', () => Int, { description: VERSION }) version: number,
    @Arg('input', () => AuthorChange) input: AuthorChange,
  ): Promise<Author> {
    return editLabel(scope, Author, 'author', id, version, input, (author) => {
      if (input.bio !== undefined) author.bio = input.bio;
      if (input.avatarUrl !== undefined) author.avatarUrl = input.avatarUrl;
    });
  }

  /** Throws `CONFLICT` while posts have this author. */
  @Mutation(() => DeletedContent, { description: `Delete an author without posts. ${EDITORS}` })
  deletePostAuthor(@Ctx() scope: RequestScope, @Id() id: string) {
    return editRecord(scope, Author, 'Author', id, async (inner, author) => {
      const post = await inner.em.findOne(Post, { authorId: author.id });
      if (post) throw fail('CONFLICT', `The post ${post.slug} has this author.`);
      return deleteRecord(inner, Author, author);
    });
  }

  /** Throws `CONFLICT` for a taken slug. */
  @Idempotent({ prepares: true, authorize: requireEditorOfSite })
  @Mutation(() => PostCategory, { description: `Create a category of posts. ${EDITORS}` })
  createPostCategory(
    @Ctx() scope: RequestScope,
    @Id('siteId') siteId: string,
    @Arg('input', () => NewPostCategory) { name, slug }: NewPostCategory,
  ): Promise<PostCategory> {
    return editSite(scope, siteId, async (inner, site) => {
      const { organizationId } = inner;
      const category = inner.em.create(PostCategory, { organizationId, siteId: site.id, name, slug });
      await flushUnique(inner, taken('category', slug));
      return category;
    });
  }

  /** Throws `CONFLICT` for another version or a taken slug. */
  @Mutation(() => PostCategory, { description: `Change a category of posts. ${EDITORS}` })
  updatePostCategory(
    @Ctx() scope: RequestScope,
    @Id() id: string,
    @Arg('version', () => Int, { description: VERSION }) version: number,
    @Arg('input', () => PostCategoryChange) input: PostCategoryChange,
  ) {
    return editLabel(scope, PostCategory, 'category', id, version, input, () => {});
  }

  @Mutation(() => DeletedContent, { description: `Delete a category, also from its posts. ${EDITORS}` })
  deletePostCategory(@Ctx() scope: RequestScope, @Id() id: string) {
    return editRecord(scope, PostCategory, 'Category', id, (inner, category) => deleteRecord(inner, PostCategory, category));
  }
}

@Resolver(() => Site)
export class SiteBlogResolver {
  @FieldResolver(() => PostList, {
    nullable: true,
    description: 'Newest first. Null, with an error, if the caller may not read drafts.',
  })
  posts(
    @Ctx() scope: RequestScope,
    @Root() site: Site,
    @Args(() => NestedPublishableArguments) request: NestedPublishableArguments,
  ) {
    return posts.listPostsOf(scope.within(site.organizationId), site, request);
  }

  @FieldResolver(() => AuthorList, { description: 'Sorted by name.' })
  authors(@Ctx() scope: RequestScope, @Root() site: Site, @Args(() => PageArguments) page: PageArguments) {
    return listAuthorsOf(scope.within(site.organizationId), site, page);
  }

  @FieldResolver(() => PostCategoryList, { description: 'Sorted by name.' })
  postCategories(@Ctx() scope: RequestScope, @Root() site: Site, @Args(() => PageArguments) page: PageArguments) {
    return listCategoriesOf(scope.within(site.organizationId), site, page);
  }
}

const AUTHORS: ListSource<Author> = {
  name: 'authors',
  entity: Author,
  parent: 'siteId',
  rows: { columns: [...RECORD_COLUMNS, 'name', 'slug', 'bio', 'avatarUrl'], ordering: 'r.name, r.id' },
};
const CATEGORIES: ListSource<PostCategory> = {
  name: 'categories',
  entity: PostCategory,
  parent: 'siteId',
  rows: { columns: [...RECORD_COLUMNS, 'name', 'slug'], ordering: 'r.name, r.id' },
};

const listAuthorsOf = (scope: RequestScope, site: Site, page: PageArguments) => nestedList(scope, AUTHORS, site.id, page);

const listCategoriesOf = (scope: RequestScope, site: Site, page: PageArguments) => nestedList(scope, CATEGORIES, site.id, page);

async function findLabel<T extends Author | PostCategory>(
  scope: RequestScope,
  { entity, rows: { columns } }: ListSource<T>,
  noun: string,
  siteId: string,
  id: string,
): Promise<T> {
  const site = await readableSite(scope, siteId);
  const where = { id, siteId: site.id } as Rows<T>['where'];
  const [found] = isId(id) ? await readRows(scope, entity, { columns, where }) : [];
  if (!found) throw fail('NOT_FOUND', `${noun} not found`);
  return found;
}

const editLabel = <T extends Author | PostCategory>(
  scope: RequestScope,
  entity: EntityClass<T>,
  kind: 'author' | 'category',
  id: string,
  version: number,
  change: { name?: string | null; slug?: string | null },
  edit: (label: T) => void,
): Promise<T> =>
  editRecord(scope, entity, kind === 'author' ? 'Author' : 'Category', id, async (inner, label) => {
    startVersion(label, version, change);
    label.name = change.name ?? label.name;
    label.slug = change.slug ?? label.slug;
    edit(label);
    await flushUnique(inner, taken(kind, label.slug));
    return label;
  });

const taken = (kind: string, slug: string) => `The slug ${slug} is taken by another ${kind} of the site`;

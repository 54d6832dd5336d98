import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { requireEditorOfSite } from '../content/access.ts';
import { EDITORS, VERSION } from '../content/descriptions.ts';
import { DeletedContent, NestedPublishableArguments, SiteListArguments } from '../content/types.ts';
import { PageArguments } from '../site-list.ts';
import { Site } from '../sites/entity.ts';
import * as labels from './authors-and-categories.ts';
import { Author, PostCategory } from './entity.ts';
import * as posts from './posts.ts';
import { AuthorChange, AuthorList, NewAuthor, NewPostCategory, PostCategoryChange, PostCategoryList, PostList } from './types.ts';

@Resolver()
export class PostLabelResolver {
  @Authorized('member')
  @Query(() => AuthorList, { description: 'The authors of a site, sorted by name.' })
  postAuthors(@Ctx() scope: RequestScope, @Args(() => SiteListArguments) request: SiteListArguments) {
    return labels.listAuthors(scope, request);
  }

  @Authorized('member')
  @Query(() => PostCategoryList, { description: 'The categories of the posts of a site, sorted by name.' })
  postCategories(@Ctx() scope: RequestScope, @Args(() => SiteListArguments) request: SiteListArguments) {
    return labels.listCategories(scope, request);
  }

  @Authorized('member')
  @Query(() => Author, { description: 'One author of a site.' })
  postAuthor(@Ctx() scope: RequestScope, @Arg('siteId', () => ID) siteId: string, @Arg('id', () => ID) id: string) {
    return labels.findAuthor(scope, siteId, id);
  }

  @Authorized('member')
  @Query(() => PostCategory, { description: 'One category of the posts of a site.' })
  postCategory(@Ctx() scope: RequestScope, @Arg('siteId', () => ID) siteId: string, @Arg('id', () => ID) id: string) {
    return labels.findCategory(scope, siteId, id);
  }

  @Authorized('member')
  @Idempotent({ prepares: true, authorize: requireEditorOfSite })
  @Mutation(() => Author, { description: `Create an author. ${EDITORS}` })
  createPostAuthor(
    @Ctx() scope: RequestScope,
    @Arg('siteId', () => ID) siteId: string,
    @Arg('input', () => NewAuthor) input: NewAuthor,
  ) {
    return labels.createAuthor(scope, siteId, input);
  }

  @Authorized('member')
  @Mutation(() => Author, { description: `Change an author. ${EDITORS}` })
  updatePostAuthor(
    @Ctx() scope: RequestScope,
    @Arg('id', () => ID) id: string,
    @Arg('version', () => Int, { description: VERSION }) version: number,
    @Arg('input', () => AuthorChange) input: AuthorChange,
  ) {
    return labels.updateAuthor(scope, id, version, input);
  }

  @Authorized('member')
  @Mutation(() => DeletedContent, { description: `Delete an author without posts. ${EDITORS}` })
  deletePostAuthor(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return labels.deleteAuthor(scope, id);
  }

  @Authorized('member')
  @Idempotent({ prepares: true, authorize: requireEditorOfSite })
  @Mutation(() => PostCategory, { description: `Create a category of posts. ${EDITORS}` })
  createPostCategory(
    @Ctx() scope: RequestScope,
    @Arg('siteId', () => ID) siteId: string,
    @Arg('input', () => NewPostCategory) input: NewPostCategory,
  ) {
    return labels.createCategory(scope, siteId, input);
  }

  @Authorized('member')
  @Mutation(() => PostCategory, { description: `Change a category of posts. ${EDITORS}` })
  updatePostCategory(
    @Ctx() scope: RequestScope,
    @Arg('id', () => ID) id: string,
    @Arg('version', () => Int, { description: VERSION }) version: number,
    @Arg('input', () => PostCategoryChange) input: PostCategoryChange,
  ) {
    return labels.updateCategory(scope, id, version, input);
  }

  @Authorized('member')
  @Mutation(() => DeletedContent, { description: `Delete a category, also from its posts. ${EDITORS}` })
  deletePostCategory(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return labels.deleteCategory(scope, id);
  }
}

@Resolver(() => Site)
export class SiteBlogResolver {
  @FieldResolver(() => PostList, { nullable: true, description: 'Newest first. Null, with an error, for drafts of others.' })
  posts(
    @Ctx() scope: RequestScope,
    @Root() site: Site,
    @Args(() => NestedPublishableArguments) request: NestedPublishableArguments,
  ) {
    return posts.listPostsOf(scope.within(site.organizationId), site, request);
  }

  @FieldResolver(() => AuthorList, { description: 'Sorted by name.' })
  authors(@Ctx() scope: RequestScope, @Root() site: Site, @Args(() => PageArguments) page: PageArguments) {
    return labels.listAuthorsOf(scope.within(site.organizationId), site, page);
  }

  @FieldResolver(() => PostCategoryList, { description: 'Sorted by name.' })
  postCategories(@Ctx() scope: RequestScope, @Root() site: Site, @Args(() => PageArguments) page: PageArguments) {
    return labels.listCategoriesOf(scope.within(site.organizationId), site, page);
  }
}

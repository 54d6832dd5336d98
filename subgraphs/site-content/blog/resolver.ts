import { Arg, Args, Ctx, FieldResolver, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { requireEditorOfSite } from '../content/access.ts';
import { publish, schedule, unpublish } from '../content/edit.ts';
import { DeletedContent, EDITORS, PublishableListArguments, VERSION } from '../content/entity.ts';
import { Author, NewPost, Post, PostCategory, PostChange, PostList } from './entity.ts';
import * as posts from './posts.ts';

@Access('member')
@Resolver(() => Post)
export class PostResolver {
  @Query(() => PostList, { nullable: true, description: 'The posts of a site, newest first.' })
  posts(@Ctx() scope: RequestScope, @Args(() => PublishableListArguments) request: PublishableListArguments) {
    return posts.listPosts(scope, request);
  }

  @Query(() => Post, { nullable: true, description: 'One post of a site. Only editors can read drafts.' })
  post(@Ctx() scope: RequestScope, @Id('siteId') siteId: string, @Id() id: string) {
    return posts.findPost(scope, siteId, id);
  }

  @Idempotent({ prepares: true, authorize: requireEditorOfSite })
  @Mutation(() => Post, { description: `Create a post as a draft. ${EDITORS}` })
  createPost(@Ctx() scope: RequestScope, @Id('siteId') siteId: string, @Arg('input', () => NewPost) input: NewPost) {
    return posts.createPost(scope, siteId, input);
  }

  @Mutation(() => Post, { description: `Change a post. ${EDITORS}` })
  updatePost(
    @Ctx() scope: RequestScope,
    @Id() id: string,
    @Arg('version', () => Int, { description: VERSION }) version: number,
    @Arg('input', () => PostChange) input: PostChange,
  ) {
    return posts.updatePost(scope, id, version, input);
  }

  @Mutation(() => Post, { description: `Publish a post. Publishing it again updates \`publishedAt\`. ${EDITORS}` })
  publishPost(@Ctx() scope: RequestScope, @Id() id: string) {
    return posts.publishPost(scope, id, publish);
  }

  @Mutation(() => Post, { description: `Turn a post back into a draft, or cancel its schedule. ${EDITORS}` })
  unpublishPost(@Ctx() scope: RequestScope, @Id() id: string) {
    return posts.publishPost(scope, id, unpublish);
  }

  @Mutation(() => Post, { description: `Publish a post at a later time. Until then it is not visible. ${EDITORS}` })
  schedulePost(
    @Ctx() scope: RequestScope,
    @Id() id: string,
    @Arg('publishAt', () => Date, { description: 'In the future.' }) publishAt: Date,
  ) {
    return posts.publishPost(scope, id, (post) => schedule(post, publishAt));
  }

  @Mutation(() => DeletedContent, { description: `Delete a post with its redirects. ${EDITORS}` })
  deletePost(@Ctx() scope: RequestScope, @Id() id: string) {
    return posts.deletePost(scope, id);
  }

  @FieldResolver(() => Author, { nullable: true })
  author(@Ctx() scope: RequestScope, @Root() post: Post) {
    return posts.authorOf(scope.within(post.organizationId), post);
  }

  @ListSize(20)
  @FieldResolver(() => [PostCategory], { description: 'In the order in which the post lists them.' })
  categories(@Ctx() scope: RequestScope, @Root() post: Post) {
    return posts.categoriesOf(scope.within(post.organizationId), post);
  }
}

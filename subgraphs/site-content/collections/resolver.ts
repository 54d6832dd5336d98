import { Arg, Args, Ctx, FieldResolver, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { requireEditorOfSite } from '../content/access.ts';
import { DeletedContent, EDITORS, NestedPublishableArguments, SiteListArguments, VERSION } from '../content/entity.ts';
import { PageArguments } from '../site-list.ts';
import { Site } from '../sites/entity.ts';
import { Collection, CollectionChange, CollectionItemList, CollectionList, NewCollection } from './entity.ts';
import { listItemsOf } from './items.ts';
import * as collections from './service.ts';

@Access('member')
@Resolver(() => Collection)
export class CollectionResolver {
  @Query(() => CollectionList, { nullable: true, description: 'The collections of a site, sorted by name.' })
  collections(@Ctx() scope: RequestScope, @Args(() => SiteListArguments) request: SiteListArguments) {
    return collections.listCollections(scope, request);
  }

  @Query(() => Collection, { nullable: true, description: 'One collection of a site.' })
  collection(@Ctx() scope: RequestScope, @Id('siteId') siteId: string, @Id() id: string) {
    return collections.findCollection(scope, siteId, id);
  }

  @Idempotent({ prepares: true, authorize: requireEditorOfSite })
  @Mutation(() => Collection, { description: `Create a collection. ${EDITORS}` })
  createCollection(
    @Ctx() scope: RequestScope,
    @Id('siteId') siteId: string,
    @Arg('input', () => NewCollection) input: NewCollection,
  ) {
    return collections.createCollection(scope, siteId, input);
  }

  @Mutation(() => Collection, { description: `Change a collection. ${EDITORS}` })
  updateCollection(
    @Ctx() scope: RequestScope,
    @Id() id: string,
    @Arg('version', () => Int, { description: VERSION }) version: number,
    @Arg('input', () => CollectionChange) input: CollectionChange,
  ) {
    return collections.updateCollection(scope, id, version, input);
  }

  @Mutation(() => DeletedContent, { description: `Delete a collection with its items, without events of the items. ${EDITORS}` })
  deleteCollection(@Ctx() scope: RequestScope, @Id() id: string) {
    return collections.deleteCollection(scope, id);
  }

  @FieldResolver(() => CollectionItemList, {
    nullable: true,
    description: 'Newest first. Null, with an error, if the caller may not read drafts.',
  })
  items(
    @Ctx() scope: RequestScope,
    @Root() collection: Collection,
    @Args(() => NestedPublishableArguments) request: NestedPublishableArguments,
  ) {
    return listItemsOf(scope.within(collection.organizationId), collection, request);
  }
}

@Resolver(() => Site)
export class SiteCollectionsResolver {
  @FieldResolver(() => CollectionList, { description: 'Sorted by name.' })
  collections(@Ctx() scope: RequestScope, @Root() site: Site, @Args(() => PageArguments) page: PageArguments) {
    return collections.listCollectionsOf(scope.within(site.organizationId), site, page);
  }
}

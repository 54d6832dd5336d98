import { Arg, Args, ArgsType, Authorized, Ctx, Field, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { EDITORS, VERSION } from '../content/descriptions.ts';
import { publish, schedule, unpublish } from '../content/publication.ts';
import { DeletedContent } from '../content/types.ts';
import { CollectionItem } from './entity.ts';
import * as items from './items.ts';
import { CollectionItemList, CollectionItemsArguments, ItemChange, NewItem } from './types.ts';

@ArgsType()
export class ItemReferencesArguments {
  @Field(() => String, { nullable: true, description: 'Only the references of this field.' })
  field?: string | null;

  @Field(() => enumTypes.PublicationFilter, {
    defaultValue: 'published',
    description: 'Only owners and admins can use values other than `published`.',
  })
  status!: EnumValue<'PublicationFilter'>;
}

@Resolver(() => CollectionItem)
export class CollectionItemResolver {
  @Authorized('member')
  @Query(() => CollectionItemList, { description: 'The items of a collection, newest first.' })
  collectionItems(@Ctx() scope: RequestScope, @Args(() => CollectionItemsArguments) request: CollectionItemsArguments) {
    return items.listItems(scope, request);
  }

  @Authorized('member')
  @Query(() => CollectionItem, { description: 'One item of a collection. Drafts are found only by editors.' })
  collectionItem(
    @Ctx() scope: RequestScope,
    @Arg('siteId', () => ID) siteId: string,
    @Arg('collectionId', () => ID) collectionId: string,
    @Arg('id', () => ID) id: string,
  ) {
    return items.findItem(scope, siteId, collectionId, id);
  }

  @Authorized('member')
  @Idempotent({ prepares: true, authorize: items.requireEditorOf })
  @Mutation(() => CollectionItem, { description: `Create an item as a draft. ${EDITORS}` })
  createCollectionItem(
    @Ctx() scope: RequestScope,
    @Arg('collectionId', () => ID) collectionId: string,
    @Arg('input', () => NewItem) input: NewItem,
  ) {
    return items.createItem(scope, collectionId, input);
  }

  @Authorized('member')
  @Mutation(() => CollectionItem, { description: `Change an item. ${EDITORS}` })
  updateCollectionItem(
    @Ctx() scope: RequestScope,
    @Arg('id', () => ID) id: string,
    @Arg('version', () => Int, { description: VERSION }) version: number,
    @Arg('input', () => ItemChange) input: ItemChange,
  ) {
    return items.updateItem(scope, id, version, input);
  }

  @Authorized('member')
  @Mutation(() => CollectionItem, { description: `Publish an item. Publishing it again updates \`publishedAt\`. ${EDITORS}` })
  publishCollectionItem(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return items.publishItem(scope, id, publish);
  }

  @Authorized('member')
  @Mutation(() => CollectionItem, { description: `Turn an item back into a draft, or cancel its schedule. ${EDITORS}` })
  unpublishCollectionItem(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return items.publishItem(scope, id, unpublish);
  }

  @Authorized('member')
  @Mutation(() => CollectionItem, { description: `Publish an item at a later time. Until then it is not visible. ${EDITORS}` })
  scheduleCollectionItem(
    @Ctx() scope: RequestScope,
    @Arg('id', () => ID) id: string,
    @Arg('publishAt', () => Date, { description: 'In the future.' }) publishAt: Date,
  ) {
    return items.publishItem(scope, id, (item) => schedule(item, publishAt));
  }

  @Authorized('member')
  @Mutation(() => DeletedContent, { description: `Delete an item to which no other item refers. ${EDITORS}` })
  deleteCollectionItem(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return items.deleteItem(scope, id);
  }

  // Nullable, so that an error in one item does not null the others.
  @ListSize(20)
  @FieldResolver(() => [CollectionItem], { nullable: true, description: 'The items that this item refers to.' })
  references(
    @Ctx() scope: RequestScope,
    @Root() item: CollectionItem,
    @Args(() => ItemReferencesArguments) request: ItemReferencesArguments,
  ) {
    return items.referredItems(scope.within(item.organizationId), item, request);
  }
}

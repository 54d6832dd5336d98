import { Arg, Args, Ctx, FieldResolver, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { isId, query, readRows, sql } from '../../../platform/database/index.ts';
import { args, field, Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { isReadable, readableSite, requireEditorOfSite } from '../content/access.ts';
import { dropAddresses, moveAddress, takeAddress } from '../content/addresses.ts';
import { deleteRecord, editRecord, emitEvent, flushUnique, pick, startVersion, statusWhere } from '../content/edit.ts';
import { EDITORS, type NestedPublishableArguments, PUBLISHABLE_COLUMNS, VERSION } from '../content/entity.ts';
import { publicationOf } from '../content/publishing.ts';
import { type ListSource, list, nestedList } from '../site-list.ts';
import { Collection, CollectionItem, CollectionItemList, CollectionItemsArguments, ItemChange, NewItem } from './entity.ts';
import { type CleanValues, cleanRichText, fieldValue, idsOf, readValues, referencesOf, richTextOf } from './field-values.ts';
import { findCollection } from './service.ts';

class ItemReferencesArguments extends args({
  field: field(String, { nullable: true, description: 'Only the references of this field.' }),
  status: field(enumTypes.PublicationFilter, {
    defaultValue: 'published',
    description: 'Only owners and admins can use values other than `published`.',
  }),
}) {}

@Access('member')
@Resolver(() => CollectionItem)
export class CollectionItemResolver {
  @Query(() => CollectionItemList, { nullable: true, description: 'The items of a collection, newest first.' })
  async collectionItems(
    @Ctx() scope: RequestScope,
    @Args(() => CollectionItemsArguments) { siteId, collectionId, status, ...page }: CollectionItemsArguments,
  ) {
    const collection = await findCollection(scope, siteId, collectionId, status);
    return list(scope, itemsOf(status), collection.id, page);
  }

  /** Throws `NOT_FOUND`, also for an item of another collection and for a draft that the caller may not see. */
  @Query(() => CollectionItem, { nullable: true, description: 'One item of a collection. Only editors can read drafts.' })
  async collectionItem(
    @Ctx() scope: RequestScope,
    @Id('siteId') siteId: string,
    @Id('collectionId') collectionId: string,
    @Id() id: string,
  ): Promise<CollectionItem> {
    const areIds = [siteId, collectionId, id].every(isId);
    const rows = { columns: COLUMNS, joined: JOINED, where: { id, collectionId, siteId } };
    const [item] = areIds ? await readRows(scope, CollectionItem, rows) : [];
    if (item && (await isReadable(scope, item))) return item;
    throw fail('NOT_FOUND', 'Item not found');
  }

  /** Throws `CONFLICT` for a taken slug, `INVALID_INPUT` for values that the fields reject, and `NOT_FOUND` for unknown references. */
  @Idempotent({ prepares: true, authorize: requireEditorOf })
  @Mutation(() => CollectionItem, { description: `Create an item as a draft. ${EDITORS}` })
  async createCollectionItem(
    @Ctx() scope: RequestScope,
    @Id('collectionId') collectionId: string,
    @Arg('input', () => NewItem) { slug, fields: input }: NewItem,
  ): Promise<CollectionItem> {
    const given = await cleaned(scope, collectionId, input);
    return editRecord(scope, Collection, 'Collection', collectionId, async (inner, collection, site) => {
      const { organizationId } = inner;
      const fields = readValues(collection, given.values, given.clean);
      const refs = await referencesOf(inner, collection, fields);
      const item = inner.em.create(CollectionItem, {
        organizationId,
        siteId: site.id,
        collectionId: collection.id,
        slug,
        fields,
        refs,
      });
      await flushUnique(inner, taken(slug));
      await takeAddress(inner, { kind: 'item', parentId: collection.id }, slug);
      await emitEvent(inner, 'collection.item.created', site.workspaceId, eventOf(item));
      return item;
    });
  }

  /** Change an item and keep a redirect from its former slug. Throws like `createCollectionItem`, and `CONFLICT` for another version. */
  @Mutation(() => CollectionItem, { description: `Change an item. ${EDITORS}` })
  async updateCollectionItem(
    @Ctx() scope: RequestScope,
    @Id() id: string,
    @Arg('version', () => Int, { description: VERSION }) version: number,
    @Arg('input', () => ItemChange) input: ItemChange,
  ): Promise<CollectionItem> {
    const known = input.fields && isId(id) ? await scope.load(CollectionItem, id) : null;
    const given = input.fields && (await cleaned(scope, known?.collectionId ?? '', input.fields));
    return changeItem(scope, id, async (inner, item, collection) => {
      if (!startVersion(item, version, input)) return false;
      const former = item.slug;
      dropFormerFields(item, collection);
      if (given) {
        // Stored rich text is clean. Other stored text is not, and may equal rich text of a field that was added meanwhile.
        const clean = new Set([...given.clean, ...richTextOf(collection, item.fields).map(([, html]) => html)]);
        item.fields = readValues(collection, { ...item.fields, ...given.values }, clean);
        item.refs = await referencesOf(inner, collection, item.fields);
      }
      item.slug = input.slug ?? item.slug;
      await flushUnique(inner, taken(item.slug));
      await moveAddress(inner, { kind: 'item', parentId: collection.id }, item, former, item.slug);
      return true;
    });
  }

  // Nullable, so that an error in one item does not null the others.
  @ListSize(20)
  @FieldResolver(() => [CollectionItem], { nullable: true, description: 'The items that this item refers to.' })
  references(
    @Ctx() scope: RequestScope,
    @Root() item: CollectionItem,
    @Args(() => ItemReferencesArguments) request: ItemReferencesArguments,
  ) {
    return referredItems(scope.within(item.organizationId), item, request);
  }
}

export const ItemPublicationResolver = publicationOf({
  type: CollectionItem,
  name: 'CollectionItem',
  noun: 'an item',
  change: (scope, id, edit) =>
    changeItem(scope, id, async (_, item, collection) => {
      dropFormerFields(item, collection);
      edit(item);
      return true;
    }),
  deletion: {
    description: 'Delete an item to which no other item refers.',
    run: (scope, id) =>
      editRecord(scope, CollectionItem, 'Item', id, async (inner, item, site) => {
        await requireUnreferenced(inner, item);
        await dropAddresses(inner, item.id);
        const [data] = await eventsOf(inner, [item]);
        await emitEvent(inner, 'collection.item.deleted', site.workspaceId, data!);
        return deleteRecord(inner, CollectionItem, item);
      }),
  },
});

const COLUMNS = [...PUBLISHABLE_COLUMNS, 'collectionId', 'slug', 'refs'] as const;
/** Without the values of former fields. */
const JOINED = {
  fields: `(r.fields - array(select jsonb_object_keys(c.removed) from site_content.collections c where c.id = r.collection_id))`,
};

const itemsOf = (status: EnumValue<'PublicationFilter'>): ListSource<CollectionItem> => ({
  name: 'items',
  entity: CollectionItem,
  parent: 'collectionId',
  rows: { columns: COLUMNS, joined: JOINED, where: statusWhere(status), ordering: 'r.created_at desc, r.id desc' },
});

/** The items of a collection as a field of the collection. */
export async function listItemsOf(scope: RequestScope, { id, siteId }: Collection, request: NestedPublishableArguments) {
  const { status, ...page } = request;
  await readableSite(scope, siteId, status);
  return nestedList(scope, itemsOf(status), id, page);
}

/** The items of a status that an item refers to, in the order of its fields. One query reads those of a whole list. */
async function referredItems(
  scope: RequestScope,
  { siteId, refs, fields }: CollectionItem,
  { field, status }: { field?: string | null; status: EnumValue<'PublicationFilter'> },
): Promise<CollectionItem[]> {
  if (status !== 'published') await readableSite(scope, siteId, status);
  const read = scope.batch(`items by id, ${status}`, async (ids) => {
    const rows = await readRows(scope, CollectionItem, {
      columns: COLUMNS,
      joined: JOINED,
      where: { id: ids, ...statusWhere(status) },
    });
    return new Map(rows.map((item) => [item.id, item]));
  });
  // The fields may contain other text of the form of an id, so only references count.
  const shown = [field ? (fieldValue(fields, field) ?? []) : Object.values(fields)].flat(2);
  const referenced = new Set(refs);
  const ids = [...new Set(shown)].filter((id) => referenced.has(id as string)) as string[];
  return (await Promise.all(ids.map(read))).filter((item) => item !== null);
}

/** Throws `FORBIDDEN` unless the caller may edit the collection of the arguments. An unknown one is left to the operation. */
async function requireEditorOf(scope: RequestScope, { collectionId }: { collectionId: string }): Promise<void> {
  const collection = isId(collectionId) ? await scope.load(Collection, collectionId) : null;
  if (collection) await requireEditorOfSite(scope, collection);
}

/** Throws `CONFLICT` while another item refers to the item. */
async function requireUnreferenced({ em, organizationId }: Scope, { id }: CollectionItem): Promise<void> {
  const [referring] = await query(
    em,
    sql<{ slug: string }>`select slug from site_content.items
       where refs @> array[${id}::uuid] and id <> ${id} and organization_id = ${organizationId} limit 1`,
  );
  if (referring) throw fail('CONFLICT', `The item ${referring.slug} refers to this item.`);
}

/** The values with clean rich text. Leaves them to the transaction when the collection does not exist. */
async function cleaned(scope: RequestScope, collectionId: string, values: Record<string, unknown>): Promise<CleanValues> {
  const collection = isId(collectionId) ? await scope.load(Collection, collectionId) : null;
  return collection ? cleanRichText(collection, values) : { values, clean: new Set() };
}

/** `edit` returns whether it changed the item. */
const changeItem = (
  scope: RequestScope,
  id: string,
  edit: (inner: RequestScope, item: CollectionItem, collection: Collection) => Promise<boolean>,
): Promise<CollectionItem> =>
  editRecord(scope, CollectionItem, 'Item', id, async (inner, item, site) => {
    const collection = await inner.em.findOneOrFail(Collection, item.collectionId, { refresh: true });
    if (!(await edit(inner, item, collection))) return { ...item, fields: shownFields(item, collection) };
    await inner.em.flush();
    await emitEvent(inner, 'collection.item.updated', site.workspaceId, eventOf(item));
    return item;
  });

/** The values without those of former fields. */
function shownFields(item: CollectionItem, { fields }: Pick<Collection, 'fields'>): Record<string, unknown> {
  const names = new Set(fields.map(({ name }) => name));
  return Object.fromEntries(Object.entries(item.fields).filter(([name]) => names.has(name)));
}

/** An edit drops the values of former fields. */
function dropFormerFields(item: CollectionItem, collection: Pick<Collection, 'fields'>): void {
  item.fields = shownFields(item, collection);
  const ids = new Set(idsOf(collection.fields, item.fields));
  if (!item.refs.every((ref) => ids.has(ref))) item.refs = item.refs.filter((ref) => ids.has(ref));
}

/** The data of the events of items, without the values of former fields. */
export async function eventsOf({ em }: Scope, items: readonly CollectionItem[]): Promise<object[]> {
  const ids = [...new Set(items.map(({ collectionId }) => collectionId))];
  const collections = await em.find(Collection, { id: { $in: ids } });
  const removedOf = new Map(collections.map(({ id, removed }) => [id, removed]));
  return items.map((item) => {
    const removed = removedOf.get(item.collectionId) ?? {};
    const shown = Object.entries(item.fields).filter(([name]) => !Object.hasOwn(removed, name));
    return { ...eventOf(item), fields: Object.fromEntries(shown) };
  });
}

const eventOf = (item: CollectionItem) =>
  pick(item, ['id', 'siteId', 'collectionId', 'slug', 'status', 'fields', 'publishedAt', 'createdAt', 'updatedAt']);

const taken = (slug: string) => `An item with the slug ${slug} already exists in the collection.`;

import { isId, query, readRows, requireAll, sql } from '../../../platform/database/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import { isEditor, NO_DRAFTS, readableSite } from '../content/access.ts';
import { Redirect } from '../content/addresses.ts';
import { deleteRecord, editRecord, editSite, flushUnique, startVersion } from '../content/edit.ts';
import { RECORD_COLUMNS, type SiteListArguments } from '../content/entity.ts';
import { type ListSource, list, nestedList, type PageArguments } from '../site-list.ts';
import type { Site } from '../sites/entity.ts';
import {
  Collection,
  type CollectionChange,
  type CollectionField,
  checkCollectionFields,
  isReference,
  type NewCollection,
} from './entity.ts';

const COLLECTIONS: ListSource<Collection> = {
  name: 'collections',
  entity: Collection,
  parent: 'siteId',
  rows: { columns: [...RECORD_COLUMNS, 'name', 'slug', 'fields'], ordering: 'r.name, r.id' },
};

/** The collections of a site, sorted by name. */
export async function listCollections(scope: RequestScope, { siteId, ...page }: SiteListArguments) {
  const site = await readableSite(scope, siteId);
  return list(scope, COLLECTIONS, site.id, page);
}

export const listCollectionsOf = (scope: RequestScope, site: Site, page: PageArguments) =>
  nestedList(scope, COLLECTIONS, site.id, page);

/** The properties of the site of a collection, read in the same statement. */
const ofSite = (column: string) => `(select s.${column} from site_content.sites s where s.id = r.site_id)`;
const SITE_COLUMNS = { siteStatus: ofSite('status'), workspaceId: ofSite('workspace_id') };

/**
 * A collection whose items of a status the caller may read. Throws `NOT_FOUND`, also for a collection of another site, and `FORBIDDEN` for
 * drafts of others.
 */
export async function findCollection(
  scope: RequestScope,
  siteId: string,
  id: string,
  status: EnumValue<'PublicationFilter'> = 'published',
): Promise<Collection> {
  const rows = { ...COLLECTIONS.rows, joined: SITE_COLUMNS, where: { id, siteId } };
  const [found] = isId(siteId) && isId(id) ? await readRows(scope, Collection, rows) : [];
  if (!found) throw notFound();
  const { siteStatus, workspaceId } = found as Collection & { siteStatus: string; workspaceId: string };
  if (scope.workspaceId && scope.workspaceId !== workspaceId) throw notFound();
  if ((siteStatus === 'published' && status === 'published') || (await isEditor(scope, workspaceId))) return found;
  throw siteStatus === 'published' ? fail('FORBIDDEN', NO_DRAFTS) : notFound();
}

/** Throws `CONFLICT` for a taken slug, and `NOT_FOUND` for a reference to a collection of another site. */
export function createCollection(scope: RequestScope, siteId: string, { name, slug, fields }: NewCollection): Promise<Collection> {
  checkCollectionFields(fields);
  return editSite(scope, siteId, async (inner, site) => {
    const { organizationId } = inner;
    await requireCollections(inner, site.id, fields);
    const collection = inner.em.create(Collection, { organizationId, siteId: site.id, name, slug, fields });
    await flushUnique(inner, taken(slug));
    return collection;
  });
}

/** Change a collection. Throws `CONFLICT` for another version, a taken slug, or a changed type or collection of a field. */
export function updateCollection(scope: RequestScope, id: string, version: number, input: CollectionChange): Promise<Collection> {
  if (input.fields) checkCollectionFields(input.fields);
  return editRecord(scope, Collection, 'Collection', id, async (inner, collection) => {
    if (input.fields) await requireCollections(inner, collection.siteId, input.fields);
    startVersion(collection, version, input);
    collection.name = input.name ?? collection.name;
    collection.slug = input.slug ?? collection.slug;
    if (input.fields) changeFields(collection, input.fields);
    await flushUnique(inner, taken(collection.slug));
    return collection;
  });
}

/** Replace the fields. The values of a removed field return when a field of its name and type is added again. */
function changeFields(collection: Collection, fields: CollectionField[]): void {
  const kindOf = ({ type, collectionId }: CollectionField) =>
    isReference({ type }) ? `${type} ${collectionId ?? collection.id}` : type;
  const kinds = { ...collection.removed, ...Object.fromEntries(collection.fields.map((field) => [field.name, kindOf(field)])) };
  for (const field of fields) {
    const { name, type } = field;
    const kind = Object.hasOwn(kinds, name) ? kinds[name]! : kindOf(field);
    const [known] = kind.split(' ');
    if (known !== type) throw fail('CONFLICT', `The field ${name} has the type ${known}, which cannot change.`);
    if (kind !== kindOf(field)) throw fail('CONFLICT', `The collection of the field ${name} cannot change.`);
    delete kinds[name];
  }
  collection.fields = fields;
  collection.removed = kinds;
}

/** Delete a collection with its items. Throws `CONFLICT` while fields of other collections refer to it. */
export const deleteCollection = (scope: RequestScope, id: string) =>
  editRecord(scope, Collection, 'Collection', id, async (inner, collection) => {
    const [referring] = await query(
      inner.em,
      sql<{ name: string }>`select name from site_content.collections
         where site_id = ${collection.siteId} and id <> ${collection.id}
           and fields @> ${JSON.stringify([{ collectionId: collection.id }])}::jsonb limit 1`,
    );
    if (referring) throw fail('CONFLICT', `The collection ${referring.name} refers to this collection.`);
    await inner.em.nativeDelete(Redirect, { parentId: collection.id });
    return deleteRecord(inner, Collection, collection);
  });

/** Throws `NOT_FOUND` for a field that refers to a collection of another site. */
async function requireCollections({ em }: Scope, siteId: string, fields: readonly CollectionField[]): Promise<void> {
  const ids = fields.filter(isReference).flatMap(({ collectionId }) => collectionId ?? []);
  for (const field of fields) field.collectionId = field.collectionId?.toLowerCase() ?? null;
  await requireAll(ids, 'Collection', (known) =>
    em.find(Collection, { id: { $in: known }, siteId }, { fields: ['id'], disableIdentityMap: true }),
  );
}

const taken = (slug: string) => `A collection with the slug ${slug} already exists in the site.`;
const notFound = () => fail('NOT_FOUND', 'Collection not found');

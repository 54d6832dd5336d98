import { canonicalId, requireAll } from '../../../platform/database/index.ts';
import { cleanAll, sanitizeOrStrip } from '../../../platform/reading/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { isObject } from '../../../schema/json.ts';
import { isCalendarTime, isLonger, truncate } from '../../../schema/text.ts';
import { type Collection, type CollectionField, CollectionItem, isReference } from './entity.ts';

const MAX_TEXT = 10_000;
/** Characters in all rich text of an item. */
const MAX_RICH_TEXT = 1_000_000;
const TOO_MUCH_RICH_TEXT = `fields must have at most ${MAX_RICH_TEXT} characters of rich text`;
const MAX_URL = 2_048;
const MAX_REFERENCES = 100;
const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** Maximum characters of a text of a type. */
const maxLengthOf = (type: CollectionField['type']): number =>
  type === 'rich-text' ? MAX_RICH_TEXT : type === 'image' ? MAX_URL : MAX_TEXT;

const isText = (value: unknown, max = MAX_TEXT): value is string => typeof value === 'string' && !isLonger(value, max);
const isWebUrl = (value: string) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);

type Reader = (value: unknown, field: CollectionField, clean: ReadonlySet<unknown>) => unknown;

/** Reads a value of each type. Returns undefined for a value that does not fit. */
const readers: Record<CollectionField['type'], Reader> = {
  text: (value) => (isText(value) ? value : undefined),
  'rich-text': (value, _, clean) =>
    isText(value, MAX_RICH_TEXT) ? (clean.has(value) ? value : sanitizeOrStrip(value)) : undefined,
  number: (value) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined),
  boolean: (value) => (typeof value === 'boolean' ? value : undefined),
  date: (value) => (isText(value) && DATE.test(value) && isCalendarTime(value) ? value : undefined),
  option: (value, { options }) => (isText(value) && options.includes(value) ? value : undefined),
  image: (value) => (isText(value, MAX_URL) && isWebUrl(value) ? value : undefined),
  reference: (value) => (typeof value === 'string' ? canonicalId(value) : undefined),
  'multi-reference': (value) =>
    Array.isArray(value) && value.length <= MAX_REFERENCES && value.every((each) => typeof each === 'string')
      ? [...new Set(value.map(canonicalId))]
      : undefined,
};

/** Why a value does not fit its field. */
function faultOf(value: unknown, { type }: CollectionField): string {
  if (type === 'multi-reference') {
    if (Array.isArray(value) && value.length > MAX_REFERENCES) return `must have at most ${MAX_REFERENCES} entries`;
  } else if (typeof value === 'string' && isLonger(value, maxLengthOf(type)))
    return `must be at most ${maxLengthOf(type)} characters`;
  return `must be a valid ${type}`;
}

/** The value of a field, which may have the name of a property of all objects. */
export const fieldValue = (values: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(values, name) ? values[name] : undefined;

const isEmpty = (value: unknown) => value === undefined || value === null || value === '';

/**
 * Check values against the fields of a collection. Returns them in the order of the fields. Throws `INVALID_INPUT` with all faults.
 * @param clean rich text that is known to be clean
 */
export function readValues(
  { fields }: Pick<Collection, 'fields'>,
  values: unknown,
  clean: ReadonlySet<unknown> = new Set(),
): Record<string, unknown> {
  if (!isObject(values)) throw fail('INVALID_INPUT', 'fields must be an object');
  const known = new Set(fields.map(({ name }) => name));
  const unknown = Object.keys(values).filter((name) => !known.has(name));
  const faults = unknown.map((name) => `fields.${truncate(name, 64)} is not a field of the collection`);
  const read: [string, unknown][] = [];
  for (const field of fields) {
    const given = fieldValue(values, field.name);
    if (isEmpty(given)) {
      if (field.required) faults.push(`fields.${field.name} is required`);
      continue;
    }
    const value = readers[field.type](given, field, clean);
    if (value === undefined) faults.push(`fields.${field.name} ${faultOf(given, field)}`);
    else read.push([field.name, value]);
  }
  if (richTextLength({ fields }, Object.fromEntries(read)) > MAX_RICH_TEXT) faults.push(TOO_MUCH_RICH_TEXT);
  if (faults.length > 0) throw fail('INVALID_INPUT', faults.slice(0, 5).join('; '));
  return Object.fromEntries(read);
}

/** The rich text among values, by the names of its fields. */
export const richTextOf = ({ fields }: Pick<Collection, 'fields'>, values: Readonly<Record<string, unknown>>): [string, string][] =>
  fields.flatMap(({ name, type }) => {
    const value = type === 'rich-text' ? fieldValue(values, name) : undefined;
    return typeof value === 'string' ? [[name, value]] : [];
  });

const richTextLength = (collection: Pick<Collection, 'fields'>, values: Readonly<Record<string, unknown>>): number =>
  richTextOf(collection, values).reduce((sum, [, { length }]) => sum + length, 0);

/**
 * Clean the rich text among values, before the transaction that other editors of the organization wait for. Throws `INVALID_INPUT` for too
 * much of it.
 */
export async function cleanRichText(
  { fields, organizationId }: Pick<Collection, 'fields' | 'organizationId'>,
  values: Readonly<Record<string, unknown>>,
): Promise<CleanValues> {
  if (richTextLength({ fields }, values) > MAX_RICH_TEXT) throw fail('INVALID_INPUT', TOO_MUCH_RICH_TEXT);
  const texts = richTextOf({ fields }, values);
  const cleaned = await cleanAll(
    organizationId,
    texts.map(([, html]) => html),
  );
  return { values: { ...values, ...Object.fromEntries(texts.map(([name], at) => [name, cleaned[at]])) }, clean: new Set(cleaned) };
}

/** Values, and the rich text among them that is clean. */
export interface CleanValues {
  values: Readonly<Record<string, unknown>>;
  clean: ReadonlySet<unknown>;
}

/** The items to which these fields refer. */
export const idsOf = (fields: readonly CollectionField[], values: Readonly<Record<string, unknown>>): string[] =>
  fields.filter(isReference).flatMap(({ name }) => [fieldValue(values, name) ?? []].flat() as string[]);

/**
 * The items that the values refer to. Throws `NOT_FOUND` for an item that does not exist or belongs to another site or to a collection that
 * the field does not accept.
 */
export async function referencesOf({ em }: Scope, collection: Collection, values: Record<string, unknown>): Promise<string[]> {
  const targets = collection.fields
    .filter(isReference)
    .flatMap(({ name, collectionId }) =>
      [fieldValue(values, name) ?? []].flat().map((id) => ({ id: id as string, collectionId: collectionId ?? collection.id })),
    );
  if (targets.length === 0) return [];
  const found = await requireAll(
    targets.map(({ id }) => id),
    'Item',
    (ids) =>
      em.find(
        CollectionItem,
        { id: { $in: ids }, siteId: collection.siteId },
        { fields: ['id', 'collectionId'], disableIdentityMap: true },
      ),
  );
  const collectionOf = new Map(found.map((item) => [item.id, item.collectionId]));
  if (targets.some(({ id, collectionId }) => collectionOf.get(id) !== collectionId)) throw fail('NOT_FOUND', 'Item not found');
  return found.map(({ id }) => id);
}

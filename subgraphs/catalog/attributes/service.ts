import { wrap } from '@mikro-orm/postgresql';
import { canonicalId, conflictIfTaken, findById, isId, lockName, readRows, requireAll } from '../../../platform/database/index.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { codeOf, fail } from '../../../schema/errors.ts';
import type { Job } from '../jobs/entity.ts';
import { ItemFailure } from '../jobs/job-kind.ts';
import type { AttributeContent, AttributeValues } from './attribute-content.ts';
import {
  Attribute,
  type AttributeChange,
  AttributeSet,
  AttributeSetAttribute,
  type AttributeSetChange,
  type NewAttribute,
  type NewAttributeSet,
} from './entity.ts';
import { checkTranslations } from './translation.ts';

type Subject = EnumValue<'AttributeSubject'>;

/** All attributes of a subject, sorted by name. */
export const listAttributes = ({ em }: Scope, subject: Subject) =>
  em.find(Attribute, { subject }, { orderBy: { name: 'asc', id: 'asc' }, limit: MAX_LISTED });

/** All sets of a subject, sorted by name. */
export const listAttributeSets = ({ em }: Scope, subject: Subject) =>
  em.find(AttributeSet, { subject }, { orderBy: { name: 'asc', id: 'asc' }, limit: MAX_LISTED });

/** Maximum number of attributes, and of attribute sets, in an organization. */
export const MAX_LISTED = 1_000;

/** The positions of a set in display order. Batches all sets of a page into one query. */
export async function positionsOf(scope: RequestScope, setId: string): Promise<AttributeSetAttribute[]> {
  const read = scope.batch('attribute set positions', async (ids) => {
    const positions = await readRows(scope, AttributeSetAttribute, { where: { attributeSetId: ids }, orderBy: { order: 'asc' } });
    return Map.groupBy(positions, (position) => position.attributeSetId);
  });
  return (await read(setId)) ?? [];
}

/**
 * Selects the active attributes of a job: those in `ids`, else those of the set, else all of the subject.
 * Throws `NOT_FOUND` if the set or an attribute is unknown or has another subject.
 */
export async function chooseAttributes(
  { em }: Scope,
  setId?: string | null,
  ids?: string[] | null,
  subject: Subject = 'product',
): Promise<Attribute[]> {
  const named = typeof setId === 'string';
  if (named && !(isId(setId) && (await em.count(AttributeSet, { id: setId, subject }))))
    throw fail('NOT_FOUND', 'Attribute set not found');
  const inSet = named ? await em.find(AttributeSetAttribute, { attributeSetId: setId }, { orderBy: { order: 'asc' } }) : undefined;
  const read = (wanted: string[]) => em.find(Attribute, { id: { $in: wanted }, subject });
  const active = (all: Attribute[]) => all.filter(({ isActive }) => isActive);
  if (ids?.length) return active(await requireAll(ids, 'Attribute', read));
  if (!inSet)
    return em.find(Attribute, { subject, isActive: true }, { orderBy: { createdAt: 'asc', id: 'asc' }, limit: MAX_LISTED });
  const found = new Map((await read(inSet.map(({ attributeId }) => attributeId))).map((each) => [each.id, each]));
  return active(inSet.flatMap(({ attributeId }) => found.get(attributeId) ?? []));
}

export async function createAttribute(scope: Scope, input: NewAttribute): Promise<Attribute> {
  checkType(input);
  checkOptions(input);
  checkConstraints(input);
  checkTranslations(input.translations);
  return transaction(scope, async ({ em, organizationId }) => {
    // The lock keeps the count valid until the commit.
    await lockName(em, `attributes of ${organizationId}`);
    if ((await em.count(Attribute)) >= MAX_LISTED) throw fail('UNPROCESSABLE', 'An organization has at most 1,000 attributes.');
    return em.create(Attribute, { ...withoutNulls(input), organizationId });
  }).catch(conflictIfTaken(`An attribute with the slug ${input.slug} already exists.`));
}

export async function updateAttribute(scope: Scope, id: string, input: AttributeChange): Promise<Attribute> {
  checkConstraints(input);
  checkTranslations(input.translations);
  const attribute = await findAttribute(scope, id);
  wrap(attribute).assign(withoutNulls(input));
  checkOptions(attribute);
  await scope.em.flush();
  return attribute;
}

/** Products keep the values that they have for the attribute. */
export async function deleteAttribute(scope: Scope, id: string) {
  await scope.em.remove(await findAttribute(scope, id)).flush();
  return { id, deleted: true };
}

export function createAttributeSet(
  scope: Scope,
  { name, subject, attributeIds, requiredAttributeIds }: NewAttributeSet,
): Promise<AttributeSet> {
  return transaction(scope, async (inner) => {
    const { em, organizationId } = inner;
    await lockName(em, `attribute sets of ${organizationId}`);
    if ((await em.count(AttributeSet)) >= MAX_LISTED)
      throw fail('UNPROCESSABLE', 'An organization has at most 1,000 attribute sets.');
    const set = em.create(AttributeSet, { name, subject, organizationId });
    await place(inner, set, attributeIds, requiredAttributeIds);
    return set;
  }).catch(conflictIfTaken(`An attribute set named ${name} already exists.`));
}

export function updateAttributeSet(
  scope: Scope,
  { id, name, attributeIds, requiredAttributeIds }: AttributeSetChange,
): Promise<AttributeSet> {
  return transaction(scope, async (inner) => {
    // Of two changes at the same time, the second would not see the places that the first has written.
    await lockName(inner.em, `attribute set ${canonicalId(id)}`);
    const set = await findSet(inner, id);
    if (name) set.name = name;
    if (attributeIds || requiredAttributeIds) {
      const before = await inner.em.find(
        AttributeSetAttribute,
        { attributeSetId: id },
        { orderBy: { order: 'asc' }, disableIdentityMap: true },
      );
      const placed = attributeIds ?? before.map(({ attributeId }) => attributeId);
      const kept = before.filter(({ required, attributeId }) => required && placed.map(canonicalId).includes(attributeId));
      await inner.em.nativeDelete(AttributeSetAttribute, { attributeSetId: id });
      await place(inner, set, placed, requiredAttributeIds ?? kept.map(({ attributeId }) => attributeId));
    }
    return set;
  }).catch(conflictIfTaken(`An attribute set named ${name} already exists.`));
}

export async function deleteAttributeSet(scope: Scope, id: string) {
  await scope.em.remove(await findSet(scope, id)).flush();
  return { id, deleted: true };
}

async function place(scope: Scope, set: AttributeSet, attributeIds: string[], requiredIds: string[]): Promise<void> {
  await chooseAttributes(scope, null, attributeIds, set.subject);
  const ids = [...new Set(attributeIds.map(canonicalId))];
  const needed = new Set(requiredIds.map(canonicalId));
  const stranger = [...needed].find((id) => !ids.includes(id));
  if (stranger) throw fail('INVALID_INPUT', 'requiredAttributeIds must be attributes of the set');
  const { organizationId } = scope;
  for (const [order, attributeId] of ids.entries())
    scope.em.create(AttributeSetAttribute, {
      attributeSetId: set.id,
      attributeId,
      organizationId,
      order,
      required: needed.has(attributeId),
    });
}

/** Throws `NOT_FOUND`. */
export const findAttribute = ({ em }: Scope, id: string): Promise<Attribute> => findById(em, Attribute, id, 'Attribute');

/** Throws `NOT_FOUND`. */
export const findSet = ({ em }: Scope, id: string): Promise<AttributeSet> => findById(em, AttributeSet, id, 'Attribute set');

/** Drops nulls, except for `unit` and `categoryPrompt`, which null clears. */
function withoutNulls<T extends AttributeChange>(input: T): T {
  const isKept = ([name, value]: [string, unknown]) => value !== null || name === 'unit' || name === 'categoryPrompt';
  return Object.fromEntries(Object.entries(input).filter(isKept)) as T;
}

/** The documented results of brands and categories support every type except `date`. */
function checkType({ subject, type }: NewAttribute): void {
  if (type === 'date' && subject !== 'product') throw fail('INVALID_INPUT', `type must not be date for a ${subject}`);
}

function checkOptions({ type, options }: Pick<NewAttribute, 'type'> & { options?: string[] | null }): void {
  if (!options) return;
  if (options.length > 0 && type !== 'select' && type !== 'multiselect')
    throw fail('INVALID_INPUT', `options are for select and multiselect, not for ${type}`);
  if (new Set(options).size < options.length) throw fail('INVALID_INPUT', 'options must differ from each other');
}

const bounds = [
  ['minLength', 'maxLength'],
  ['min', 'max'],
  ['minItems', 'maxItems'],
  ['minWords', 'maxWords'],
] as const;

/** No value could meet contradictory constraints, so every item of a job would fail. */
function checkConstraints({ constraints }: Pick<AttributeChange, 'constraints'>): void {
  for (const [least, most] of bounds) {
    const [low, high] = [constraints?.[least] ?? Number.NEGATIVE_INFINITY, constraints?.[most] ?? Number.POSITIVE_INFINITY];
    if (low > high) throw fail('INVALID_INPUT', `constraints.${least} must be at most constraints.${most}`);
  }
}

/** The active attributes selected by a job. Throws `ItemFailure` if its set or one of its attributes was deleted. */
export async function attributesOfJob(
  scope: Scope,
  { attributeSetId, attributeIds }: Job,
  subject: EnumValue<'AttributeSubject'> = 'product',
): Promise<Attribute[]> {
  if (attributeSetId === null && !attributeIds?.length) return allAttributes(scope, subject);
  return chooseAttributes(scope, attributeSetId, attributeIds, subject).catch((error: { message: string; extensions?: object }) => {
    throw codeOf(error) === 'NOT_FOUND' ? new ItemFailure(error.message) : error;
  });
}

/** Every item of a job reads them, so they are plain rows. */
const allAttributes = (scope: Scope, subject: EnumValue<'AttributeSubject'>): Promise<Attribute[]> =>
  readRows(
    scope,
    Attribute,
    { where: { subject, isActive: true }, orderBy: { createdAt: 'asc', id: 'asc' } },
    { limit: MAX_LISTED, offset: 0 },
  );

/** The active attributes of a job over products. Throws `ItemFailure` if there are none. */
export async function requireAttributes(scope: Scope, job: Job) {
  const attributes = await attributesOfJob(scope, job);
  if (attributes.length === 0) throw new ItemFailure('There are no active attributes to fill in');
  return attributes;
}

/** Limit of the bytes of all values of one product, including their keys and names. */
export const MAX_BYTES = 1_000_000;

const bytesOf = (value: AttributeContent): number => {
  if (typeof value === 'string') return Buffer.byteLength(value);
  return Array.isArray(value) ? value.reduce((sum, each) => sum + Buffer.byteLength(each), 0) : 8;
};

/**
 * Whether the values of one product exceed `MAX_BYTES`.
 * @param others the bytes of its other values, by `catalog.values_size`
 */
export function isTooLarge(values: AttributeValues, others = 0): boolean {
  let bytes = others;
  for (const [key, { attributeName = key, value }] of Object.entries(values)) {
    bytes += Buffer.byteLength(key) + Buffer.byteLength(attributeName) + bytesOf(value);
  }
  return bytes > MAX_BYTES;
}

export const tooLarge = (path: string) => `${path} must have at most ${MAX_BYTES} bytes of values together`;

/** Returns the values. Throws `INVALID_INPUT` if they are too large for one product. */
export function checkSize(values: AttributeValues): AttributeValues {
  if (isTooLarge(values)) throw fail('INVALID_INPUT', tooLarge('attributes'));
  return values;
}

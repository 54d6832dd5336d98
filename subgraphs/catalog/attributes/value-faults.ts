import { ObjectType } from 'type-graphql';
import { query, sql } from '../../../platform/database/index.ts';
import { field, output, refuseFaults } from '../../../platform/fields/index.ts';
import { cleanAll } from '../../../platform/reading/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { enums, notInList } from '../../../schema/enums.ts';
import { isObject } from '../../../schema/json.ts';
import { attributeLimits } from '../../../schema/scalars.ts';
import { isCalendarTime, isLonger, truncate } from '../../../schema/text.ts';
import { withoutNulls } from '../enrichment/ask-model.ts';
import { checkValue } from '../extraction/constraints.ts';
import type { AttributeType, AttributeValue, AttributeValues } from './attribute-content.ts';
import { Attribute } from './entity.ts';
import { isTooLarge, tooLarge } from './service.ts';

type ValueInput = Record<string, Partial<AttributeValue>>;

/**
 * Reads maps of attribute values from a caller and sanitizes their HTML. A missing `attributeId` or `attributeName` is taken from
 * the attribute of that slug, of a product by default. Throws `INVALID_INPUT` naming up to five faults.
 */
export async function readAttributeValues(
  scope: Scope,
  maps: readonly unknown[],
  { path = 'attributes', subject = 'product', clean = (texts: string[]) => cleanAll(scope.organizationId, texts) } = {},
): Promise<AttributeValues[]> {
  refuseFaults(maps.flatMap((map) => attributeFaults(map, path).take(5).toArray()));
  const given = maps as readonly ValueInput[];
  const definitions = await definitionsOf(scope, subject, given);
  const read: AttributeValues[] = [];
  const html: { value: string; into: AttributeValue }[] = [];
  for (const map of given) {
    const values: AttributeValues = {};
    for (const [key, { attributeId, attributeName, attributeType, value }] of Object.entries(map)) {
      const { id = null, name = key } = definitions.get(key) ?? {};
      values[key] = {
        attributeId: attributeId === undefined ? id : attributeId,
        attributeName: attributeName ?? name,
        attributeType: attributeType!,
        value: value!,
      };
      if (attributeType === 'html' && typeof value === 'string') html.push({ value, into: values[key] });
    }
    read.push(values);
  }
  const cleaned = await clean(html.map(({ value }) => value));
  for (const [at, { into }] of html.entries()) into.value = cleaned[at]!;
  return read;
}

/** The attributes of all incomplete values, by slug. */
async function definitionsOf({ em, organizationId }: Scope, subject: string, maps: readonly ValueInput[]) {
  const isIncomplete = ([, value]: [string, Partial<AttributeValue>]) =>
    value.attributeId === undefined || value.attributeName === undefined;
  const slugs = [
    ...new Set(
      maps.flatMap((map) =>
        Object.entries(map)
          .filter(isIncomplete)
          .map(([key]) => key),
      ),
    ),
  ];
  if (slugs.length === 0) return new Map<string, Definition>();
  const found = await query(
    em,
    sql<Definition>`select id, slug, name from catalog.attributes
         where organization_id = ${organizationId} and subject = ${subject} and slug = any(${slugs}::text[])`,
  );
  return new Map(found.map((each) => [each.slug, each]));
}

interface Definition {
  id: string;
  slug: string;
  name: string;
}

const ISO_DATE = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/;

const isText = (value: unknown): value is string => typeof value === 'string';
/** The expected form of a value of each type, in words and as a test. Lengths are checked separately. */
const forms: Record<AttributeType, { expected: string; fits(value: unknown): boolean }> = {
  text: { expected: 'a string', fits: isText },
  html: { expected: 'a string of HTML', fits: isText },
  number: { expected: 'a number', fits: (value) => typeof value === 'number' && Number.isFinite(value) },
  date: { expected: 'an ISO date', fits: (value) => isText(value) && ISO_DATE.test(value) && isCalendarTime(value) },
  boolean: { expected: 'true or false', fits: (value) => typeof value === 'boolean' },
  select: { expected: 'a string', fits: isText },
  multiselect: {
    expected: 'an array of strings',
    fits: (value) => Array.isArray(value) && value.every(isText),
  },
};

/**
 * The faults of a caller's map of attribute values, one sentence each.
 * @param path the name of the map in the sentences
 */
export function* attributeFaults(map: unknown, path = 'attributes'): Generator<string> {
  if (!isObject(map)) return yield `${path} must be an object`;
  const entries = Object.entries(map);
  if (entries.length > attributeLimits.entries) return yield `${path} must have at most ${attributeLimits.entries} entries`;
  let isSound = true;
  for (const [key, value] of entries) {
    for (const fault of faultsOfValue(key, value, `${path}.${key}`)) {
      isSound = false;
      yield fault;
    }
  }
  if (isSound && isTooLarge(map as AttributeValues)) yield tooLarge(path);
}

function* faultsOfValue(key: string, given: unknown, path: string): Generator<string> {
  if (key === '' || key === '__proto__') return yield `${path} is no attribute key`;
  if (isLonger(key, attributeLimits.key))
    return yield `${truncate(path, attributeLimits.key)}… is no attribute key: it has more than ${attributeLimits.key} characters`;
  if (!isObject(given)) return yield `${path} must be an attribute value object`;
  const { attributeId = null, attributeName = '', attributeType, value } = given;
  if (!isType(attributeType)) yield `${path}.attributeType ${notInList('AttributeType')}`;
  if (attributeId !== null && (typeof attributeId !== 'string' || isLonger(attributeId, attributeLimits.id)))
    yield `${path}.attributeId must be a string of at most ${attributeLimits.id} characters`;
  if (typeof attributeName !== 'string' || isLonger(attributeName, attributeLimits.name))
    yield `${path}.attributeName must be a string of at most ${attributeLimits.name} characters`;
  if (value === undefined) yield `${path}.value is required`;
  else if (value !== null && isType(attributeType) && !forms[attributeType].fits(value))
    yield `${path}.value must be ${forms[attributeType].expected} for the type ${attributeType}`;
  else if (isText(value) && isLonger(value, attributeLimits.text))
    yield `${path}.value must be at most ${attributeLimits.text} characters`;
  else if (Array.isArray(value)) yield* faultsOfChoices(value, `${path}.value`);
}

function* faultsOfChoices(choices: unknown[], path: string): Generator<string> {
  const { choices: most, text } = attributeLimits;
  if (choices.length > most) yield `${path} must have at most ${most} entries`;
  else if (choices.some((each) => isText(each) && isLonger(each, text)))
    yield `${path} must have entries of at most ${text} characters`;
}

const isType = (type: unknown): type is AttributeType => (enums.AttributeType.values as readonly unknown[]).includes(type);

@ObjectType({ description: 'A value that does not meet the limits of its attribute.' })
export class ValueFault extends output({
  slug: field(String, 'The slug of the attribute.'),
  message: field(String, 'A sentence with the broken limit.'),
}) {}

type Values = Readonly<Record<string, Partial<AttributeValue>>>;

/** The limits that values of a caller break. Values without an attribute of their slug and type have none. */
export async function valueFaults(scope: Scope, map: unknown): Promise<ValueFault[]> {
  refuseFaults(attributeFaults(map, 'values').take(5).toArray());
  const values = map as Values;
  return (await readLimits(scope, Object.keys(values)))(values);
}

/** Reads the limits of product attributes, and returns the check of values by them. */
export async function readLimits({ em }: Scope, slugs: readonly string[]): Promise<(values: Values) => ValueFault[]> {
  const found = await em.find(Attribute, { subject: 'product', slug: { $in: [...new Set(slugs)] } });
  return (values) =>
    found.flatMap(({ slug, name, type, options, constraints }) => {
      const { attributeType, value } = (Object.hasOwn(values, slug) && values[slug]) || {};
      // A date may also have a time, which jobs do not write.
      if (attributeType !== type || type === 'date') return [];
      const fault = checkValue({ type, options, constraints: withoutNulls(constraints) }, value);
      return fault ? [{ slug, message: `${name} ${fault}.` }] : [];
    });
}

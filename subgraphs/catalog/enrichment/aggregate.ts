import { readRows } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { AnswerBudget } from '../../../schema/limits.ts';
import { truncate } from '../../../schema/text.ts';
import type { AttributeContent, AttributeType, AttributeValues } from '../attributes/attribute-content.ts';
import type { Attribute } from '../attributes/entity.ts';
import { ItemFailure, type WorkScope } from '../jobs/job-kind.ts';
import { Product } from '../products/entity.ts';
import type { FoundValues } from './ask-model.ts';

type Value = NonNullable<AttributeContent>;
interface Aggregate {
  type: AttributeType;
  value: AttributeContent;
}

/**
 * Aggregates the attributes of a parent from its variants: common values, ranges of numbers and dates, lists of the rest. Throws
 * `ItemFailure` if no variant has values or the variants are too large to read.
 */
export const aggregateVariants = (scope: WorkScope, parent: Product, attributes: Attribute[]): Promise<FoundValues> =>
  scope.memory.during(READING * MAX_BYTES, () => aggregate(scope, parent, attributes));

async function aggregate(scope: Scope, parent: Product, attributes: Attribute[]): Promise<FoundValues> {
  const variants = await readVariants(scope, parent);
  if (!variants.some(({ attributes: values }) => Object.keys(values).length > 0))
    throw new ItemFailure('Insufficient product data');

  const values = attributes.map((attribute) => {
    const given = variants.flatMap((variant) => variant.attributes[attribute.slug]?.value ?? []) as Value[];
    const stated = variants.filter((variant) => (variant.attributes[attribute.slug]?.value ?? null) !== null);
    const { type, value } = stated.length > 0 ? combine[attribute.type](given, attribute) : { type: attribute.type, value: null };
    const origin = {
      // The share of variants that have a value.
      confidence: value === null ? 0 : Math.round((100 * stated.length) / variants.length),
      sourceKind: value === null ? null : 'variants',
      sourceUrl: null,
      snippet: value === null ? null : truncate(stated.map(({ sku }) => sku).join(', '), 500),
      contentHash: null,
    };
    return { attribute, type, value, origin };
  });
  if (values.every(({ value }) => value === null)) throw new ItemFailure('Insufficient product data');
  return { model: 'variants', values, images: [] };
}

const VALUES = ['id', 'sku', 'attributes'] as const;
/** Maximum size of the variants of one parent that a worker loads. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Memory of a row while it is read: its text and its values. */
const READING = 3;

async function readVariants({ organizationId, services, signal }: Scope, { id }: Product): Promise<Product[]> {
  const budget = new AnswerBudget(MAX_BYTES);
  const rows = { columns: VALUES, where: { parentId: id }, orderBy: { sku: 'asc' } } as const;
  try {
    return await readRows({ organizationId, services, signal, budget }, Product, rows, { limit: 5_000, offset: 0 });
  } catch (error) {
    throw error === budget.refusal ? new ItemFailure('The variants have too many attribute values to be combined') : error;
  }
}

/** Keeps the values of the parent for attributes that its variants lack. */
export const withOwnValues = ({ values, ...found }: FoundValues, own: AttributeValues): FoundValues => ({
  ...found,
  values: values.map((each) => {
    const { attributeType: type, value } = own[each.attribute.slug] ?? { value: null };
    return each.value === null && type && value !== null ? { ...each, type, value, unchanged: true } : each;
  }),
});

const distinct = <T>(values: T[]): T[] => [...new Set(values)];
const common =
  (type: AttributeType) =>
  (values: Value[]): Aggregate => ({ type, value: distinct(values).length === 1 ? values[0]! : null });

/** Numbers and dates cannot hold a range, so it becomes text: `1.2–1.8 kg`. */
const range =
  (type: AttributeType, compare: (a: Value, b: Value) => number) =>
  (values: Value[], { unit }: Attribute): Aggregate => {
    const sorted = distinct(values).sort(compare);
    if (sorted.length === 1) return { type, value: sorted[0]! };
    return { type: 'text', value: `${sorted[0]}–${sorted.at(-1)}${unit ? ` ${unit}` : ''}` };
  };

/** A single distinct value keeps its type; several become a multiselect. */
const list =
  (type: AttributeType) =>
  (values: Value[]): Aggregate => {
    const all = distinct(values.map(String));
    return all.length === 1 && type !== 'multiselect' ? { type, value: all[0]! } : { type: 'multiselect', value: all };
  };

const combine: Record<AttributeType, (values: Value[], attribute: Attribute) => Aggregate> = {
  number: range('number', (a, b) => Number(a) - Number(b)),
  date: range('date', (a, b) => String(a).localeCompare(String(b))),
  select: list('select'),
  // `flatMap` above has already flattened the lists.
  multiselect: list('multiselect'),
  text: list('text'),
  boolean: common('boolean'),
  html: common('html'),
};

import { truncate } from '../../../schema/text.ts';
import type { Calling } from '../tools/callable.ts';
import type { FoundProduct, ReadProduct, ReadValue } from './operations.ts';

type Cite = Calling['cite'];

const [MAX_VARIANTS, MAX_VALUE, MAX_SNIPPET] = [50, 1_000, 300];
/** Characters of all values in one result, about 5,000 tokens. The rest is named, so that the model can ask for it. */
const BUDGET = 20_000;
const MAX_NAMED = 100;

/** The attributes of a product that a result may contain. */
interface Selection {
  /** Slugs that the owner of the agent allows; empty for all. */
  allowed: readonly string[];
  /** Names or slugs that the model asks for; empty for all. */
  wanted: readonly string[];
}

/** A value that is known. */
type FoundValue = ReadValue & { value: NonNullable<ReadValue['value']> };

const isFound = (given: ReadValue): given is FoundValue => given.value !== null;

/** A product of a search, as the model sees it. The product itself is the source. */
export const describeFound = (product: FoundProduct, cite: Cite) => ({ ...headOf(product), citation: citeProduct(product, cite) });

/** A product with its values, as the model and the visitor see them. Each value has the number of its evidence. */
export function describeProduct(product: ReadProduct, { allowed, wanted }: Selection, cite: Cite) {
  const names = new Set(wanted.map(normalized));
  const known = product.values.filter(isFound).sort((a, b) => a.attributeName.localeCompare(b.attributeName, 'en'));
  const visible = known.filter(({ slug }) => allowed.length === 0 || allowed.includes(slug));
  const selected = visible.filter(
    ({ slug, attributeName }) => names.size === 0 || names.has(normalized(slug)) || names.has(normalized(attributeName)),
  );
  const record = citeProduct(product, cite);
  let room = BUDGET;
  const values: object[] = [];
  const omitted: string[] = [];
  for (const value of selected) {
    if (room <= 0) {
      omitted.push(value.attributeName);
      continue;
    }
    const described = describeValue(product, value, record, cite);
    room -= JSON.stringify(described).length;
    values.push(described);
  }
  return {
    ...headOf(product),
    ...defined({ manufacturer: product.manufacturer, mpn: product.mpn, variantOf: product.parent }),
    ...(product.variants.length > 0 && { variants: product.variants.slice(0, MAX_VARIANTS) }),
    citation: record,
    values,
    ...(omitted.length > 0 && { omittedAttributes: omitted.slice(0, MAX_NAMED) }),
  };
}

function describeValue(product: ReadProduct, given: FoundValue, record: number | null, cite: Cite) {
  const { slug, attributeName, unit, sourceUrl } = given;
  const value = textOf(given);
  const snippet = given.snippet === null ? null : truncate(given.snippet, MAX_SNIPPET);
  const url = isPage(sourceUrl) ? sourceUrl : null;
  const confidence = given.confidence === null ? null : Math.round(given.confidence);
  const percent = confidence === null ? null : `${confidence} %`;
  const support = [product.name, product.sku, attributeName, value, unit, snippet, percent].filter(Boolean).join(' ');
  const source = { id: `${product.sku}:${slug}`, documentId: `product:${product.sku}`, url, title: product.name, text: support };
  const citation = confidence === null ? null : cite(source);
  return {
    attribute: attributeName,
    value,
    ...defined({ unit }),
    citation: citation ?? record,
    ...defined({ confidence, url, snippet }),
  };
}

const headOf = ({ sku, name, brand, category, isParent }: FoundProduct) => ({
  ...{ sku, name },
  ...defined({ brand, category, hasVariants: isParent || null }),
});

const citeProduct = (product: FoundProduct, cite: Cite) =>
  cite({
    id: `product:${product.sku}`,
    documentId: `product:${product.sku}`,
    url: null,
    title: product.name,
    text: [product.sku, product.name, product.brand, product.category].filter(Boolean).join(' '),
  });

function textOf({ value, attributeType }: FoundValue): string | number | boolean {
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  const text = Array.isArray(value) ? value.join(', ') : value;
  const plain = attributeType === 'html' ? text.replace(/<[^<>]*>/g, ' ').replace(/\s+/g, ' ') : text;
  return truncate(plain.trim(), MAX_VALUE);
}

/** Sources of other schemes are no links. */
const isPage = (url: string | null): boolean => url !== null && /^https?:\/\//i.test(url);

const normalized = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[-_\s]+/g, ' ')
    .trim();

const defined = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));

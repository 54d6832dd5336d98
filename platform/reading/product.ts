import { isObject, type JsonObject } from '../../schema/json.ts';
import { truncate } from '../../schema/text.ts';
import type { Head } from './head.ts';
import { tidy } from './text.ts';

/** The metadata of a page as lines of text: descriptions of its head and products in JSON-LD. */
export function statedLines({ meta, statements }: Head): string[] {
  const described = meta.flatMap(({ name, content }) => {
    const label = metaLabels[name];
    const text = tidy(content).replaceAll('\n', ' ');
    return label && text ? [`${label}: ${text}`] : [];
  });
  return [...new Set([...described, ...products(statements).flatMap((product) => linesOf(product, '', 0))])].slice(0, MAX_LINES);
}

/** Image URLs in the metadata of the page. */
export function statedImages({ meta, statements }: Head): string[] {
  const shared = meta.flatMap(({ name, content }) => (name === 'og:image' ? [content] : []));
  const shown = products(statements).flatMap(({ image }) => image);
  const urls = shown.map((each) => (isObject(each) ? (each.url ?? each.contentUrl) : each));
  return [...shared, ...urls].filter((each): each is string => typeof each === 'string');
}

const MAX_LINES = 500;
const MAX_PRODUCTS = 20;
const productType = /(^|[/:])(Individual)?Product(Model|Group)?$/;

const metaLabels: Record<string, string | undefined> = Object.assign(Object.create(null), {
  description: 'Description',
  'og:title': 'Title',
  'og:description': 'Description',
  'og:site_name': 'Site',
  'og:brand': 'Brand',
  'product:brand': 'Brand',
  'product:price:amount': 'Price',
  'product:price:currency': 'Currency',
  'product:condition': 'Condition',
  'product:availability': 'Availability',
  'product:retailer_item_id': 'Item number',
});

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

function products(statements: unknown[]): JsonObject[] {
  return statements
    .flatMap(asList)
    .flatMap((item) => (isObject(item) && item['@graph'] ? asList(item['@graph']) : [item]))
    .flatMap((item) => (isObject(item) && item.mainEntity ? [item, item.mainEntity] : [item]))
    .filter(isObject)
    .filter((item) => asList(item['@type']).some((type) => typeof type === 'string' && productType.test(type)))
    .slice(0, MAX_PRODUCTS);
}

/** Properties that do not describe the product, such as URLs, ratings and reviews. */
const ignoredKeys =
  /^(@|image$|url$|review|aggregateRating$|shippingDetails$|hasMerchantReturnPolicy$|logo$|seller$|potentialAction$)/;

function linesOf(value: unknown, label: string, depth: number): string[] {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    const text = tidy(String(value)).replaceAll('\n', ' ');
    return text ? [`${label}: ${text}`] : [];
  }
  if (depth > 6) return [];
  if (Array.isArray(value)) return value.slice(0, MAX_LINES).flatMap((each) => linesOf(each, label, depth + 1));
  if (!isObject(value)) return [];
  const measured = quantity(value);
  if (measured) return linesOf(measured.text, measured.name || label, depth);
  return Object.entries(value)
    .filter(([key]) => !ignoredKeys.test(key))
    .flatMap(([key, each]) => linesOf(each, key === 'name' && label ? label : labelOf(key), depth + 1));
}

/** Reads `PropertyValue` and `QuantitativeValue`: a value with its unit and an optional name. */
function quantity({ value, name, unitText, unitCode }: JsonObject): { name: string; text: string } | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const unit = [unitText, unitCode].find((each) => typeof each === 'string');
  return { name: typeof name === 'string' ? tidy(name) : '', text: [value, unit].filter((each) => each !== undefined).join(' ') };
}

/** Characters of a label, which each value of a list repeats. */
const MAX_LABEL = 200;

/** `priceCurrency` → `Price currency`. */
function labelOf(key: string): string {
  const text = truncate(key, MAX_LABEL).replace(
    /([a-z])([A-Z])/g,
    (_, before: string, after: string) => `${before} ${after.toLowerCase()}`,
  );
  return text.charAt(0).toUpperCase() + text.slice(1);
}

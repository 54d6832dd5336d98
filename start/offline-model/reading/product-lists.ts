import { isObject } from '../../../schema/json.ts';
import { trimCharacters } from '../../../subgraphs/catalog/extraction/constraints.ts';
import type { ListedPage } from '../../../subgraphs/catalog/extraction/read-products.ts';
import type { PromptMessage } from '../openai-protocol.ts';
import { escaped } from './synonyms.ts';

const fields = {
  sku: ['sku', 'variant sku', 'item number', 'item no', 'article number', 'product code', 'code', 'artikelnummer'],
  name: ['name', 'product name', 'product', 'title', 'item', 'bezeichnung'],
  brand: ['brand', 'brand name', 'marke'],
  category: ['category', 'product category', 'product type', 'kategorie'],
  manufacturer: ['manufacturer', 'maker', 'hersteller'],
  mpn: ['mpn', 'part number', 'manufacturer part number'],
  familySku: ['parent sku', 'parent', 'handle', 'family', 'group', 'family sku'],
} as const;
type FieldName = keyof typeof fields;
const options = ['color', 'colour', 'size', 'material', 'length', 'width', 'finish', 'style', 'capacity'];

interface Listed {
  name: string;
  sku: string | null;
  brand: string | null;
  category: string | null;
  manufacturer: string | null;
  mpn: string | null;
  family: string | null;
  familySku: string | null;
  options: { name: string; value: string }[];
}

/** The page of a product-list request of this service; undefined for requests of other programs. */
export function readListedPage(messages: readonly PromptMessage[]): ListedPage | undefined {
  try {
    const page: unknown = JSON.parse(messages.find(({ role }) => role === 'user')?.text ?? '');
    return isObject(page) && typeof page.file === 'string' ? (page as unknown as ListedPage) : undefined;
  } catch {
    return undefined;
  }
}

/** Products of a page: table rows by their headers, or texts by `label: value` lines. */
export function listProducts({ columns = [], rows, text = '' }: ListedPage): { products: Listed[] } {
  const records = rows
    ? rows.map((row) => columns.map((column, at): [string, string] => [column, row[at] ?? '']))
    : text.split(/\n\s*\n/).map(labeledLines);
  return { products: grouped(records.map(productOf).filter((each) => each !== undefined)) };
}

const labeledLines = (block: string): [string, string][] =>
  block.split('\n').flatMap((line) => {
    const colon = line.indexOf(':');
    const [label, value] = [line.slice(0, Math.max(0, colon)).trim(), line.slice(colon + 1).trim()];
    return label && label.length <= 40 && value ? [[label, value]] : [];
  });

const plain = (label: string) =>
  label
    .toLowerCase()
    .replace(/[_\-.]+/g, ' ')
    .trim();

function productOf(record: [string, string][]): Listed | undefined {
  const read = (field: FieldName) => {
    const names: readonly string[] = fields[field];
    return record.find(([label, value]) => value !== '' && names.includes(plain(label)))?.[1] ?? null;
  };
  const [sku, name] = [read('sku'), read('name')];
  if (!sku && !name) return undefined;
  const chosen = record.filter(([label, value]) => value !== '' && options.includes(plain(label)));
  return {
    name: name ?? sku!,
    sku,
    brand: read('brand'),
    category: read('category'),
    manufacturer: read('manufacturer'),
    mpn: read('mpn'),
    family: null,
    familySku: read('familySku'),
    options: chosen.map(([label, value]) => ({ name: label, value })),
  };
}

/** The name without option values, which the variants share. */
function stemOf({ name, options: chosen }: Listed): string {
  // Replace long values first, so that 'Red' does not split 'Dark Red'.
  const values = chosen.map(({ value }) => value).sort((a, b) => b.length - a.length);
  const stem = values.reduce(withoutLast, name);
  const tidy = stem.replace(/\(\s*\)|\[\s*\]/g, '').replace(/\s+/g, ' ');
  return trimCharacters(tidy, /[\s,/–-]/) || name;
}

/** Removes the last occurrence, because options end a name. Matches whole words: 'S' is not part of 'Shirt'. */
function withoutLast(name: string, value: string): string {
  const whole = new RegExp(`(?<![\\p{L}\\p{N}])${escaped(value)}(?![\\p{L}\\p{N}])`, 'giu');
  const last = [...name.matchAll(whole)].at(-1);
  return last ? name.slice(0, last.index) + name.slice(last.index + last[0].length) : name;
}

function grouped(products: Listed[]): Listed[] {
  const parents = new Map(products.flatMap((each) => (each.sku ? [[each.sku, each]] : [])));
  const headed = new Set(products.map(({ familySku }) => familySku).filter((sku) => sku !== null));
  const stems = Map.groupBy(products, (each) => (each.options.length > 0 ? stemOf(each) : ''));
  return (
    products
      // A row that other rows name as their parent is the family.
      .filter(({ sku, familySku }) => !sku || !headed.has(sku) || familySku !== null)
      .map((each) => {
        const { familySku } = each;
        if (familySku) return { ...each, family: parents.get(familySku)?.name ?? stemOf(each) };
        const stem = stemOf(each);
        const isVariant = each.options.length > 0 && (stems.get(stem)?.length ?? 0) > 1;
        return isVariant ? { ...each, family: stem } : { ...each, options: [] };
      })
  );
}

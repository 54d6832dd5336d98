import type { Word } from '../../schema/words.ts';

/** An item of a sample job; only the fields of its kind have values. */
export interface ResultItem {
  label: string | null;
  product: { sku: string } | null;
  errorMessage: string | null;
  enrichedData: Record<string, { value: unknown }> | null;
  validationResults: Record<string, { isValid: boolean; confidence: number }> | null;
  results: { source: string; price: number; currency: string }[];
}

const namesOf = (items: ResultItem[]) => items.map(({ label, product }) => label ?? product?.sku ?? '').join(', ');

const countValues = (items: ResultItem[]) =>
  items.flatMap(({ enrichedData }) => Object.values(enrichedData ?? {})).filter(({ value }) => value !== null).length;

function validation(items: ResultItem[]): string {
  const results = items.flatMap(({ validationResults }) => Object.values(validationResults ?? {}));
  const doubtful = results.filter(({ isValid }) => !isValid).length;
  return `${results.length} values of ${items.length} products compared with their sources, ${doubtful} of them doubtful`;
}

function market(items: ResultItem[]): string {
  const offers = items.flatMap(({ results }) => results);
  const shops = new Set(offers.map(({ source }) => source));
  const example = items.find(({ results }) => results.length > 1);
  const prices = example?.results.map(({ source, price, currency }) => `${source} ${price.toFixed(2)} ${currency}`).join(', ');
  return `${offers.length} offers of ${shops.size} shops for ${items.length} products${example ? `; ${example.product?.sku}: ${prices}` : ''}`;
}

const labels = (items: ResultItem[]) => `${countValues(items)} values for ${namesOf(items)}`;

const kinds: Partial<Record<Word<'JobKind'>, [title: string, describe: (items: ResultItem[]) => string]>> = {
  'brand-enrichment': ['Brands', labels],
  'product-category-enrichment': ['Categories', labels],
  'product-validation': ['Validation', validation],
  'product-market-analysis': ['Market analysis', market],
};

/** One line about the results of a job. */
export function summarize(kind: Word<'JobKind'>, items: ResultItem[]): string {
  const [title, describe] = kinds[kind]!;
  const failed = items.filter(({ errorMessage }) => errorMessage);
  const reason = failed.length > 0 ? `; ${failed.length} failed: ${failed[0]!.errorMessage}` : '';
  return `  ${title.padEnd(16)}${describe(items.filter(({ errorMessage }) => !errorMessage))}${reason}`;
}

import type { Citable } from '../tools/callable.ts';

/** Products of one reply that visitors see as cards. */
export const MAX_CARDS = 5;
/** Begins the id of the document of a product. */
const PRODUCT = 'product:';
/** Letters of the shortest name that counts. */
const MIN_NAME = 3;

export const productDocument = (sku: string): string => PRODUCT + sku;

/** The SKUs of the products that an answer is about: those that it cites, in this order, and those that it names. */
export function namedProducts(answer: string, cited: readonly Citable[], all: readonly Citable[]): string[] {
  const skuOf = ({ documentId }: Citable) => documentId.slice(PRODUCT.length);
  const isProduct = ({ documentId }: Citable) => documentId.startsWith(PRODUCT);
  const text = answer.toLowerCase();
  const isNamed = (name: string) => name.length >= MIN_NAME && text.includes(name.toLowerCase());
  const named = all.filter((source) => isProduct(source) && (isNamed(source.title) || isNamed(skuOf(source))));
  return [...new Set([...cited.filter(isProduct), ...named].map(skuOf))].slice(0, MAX_CARDS);
}

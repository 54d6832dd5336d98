import type { DocumentNode } from 'graphql';
import { print, visit } from 'graphql';
import { SizedCache } from '../cache.ts';
import type { Operation, Prepare } from '../contract.ts';

type Find = (document: DocumentNode, operationName?: string) => Operation;

/** Maximum size of the cache, in bytes. */
const budget = 64 * 1024 * 1024;

/**
 * Estimated bytes of an operation with its plan and compiled functions. Measured: a small operation takes 70 kB, each further field
 * up to 4 kB, and a literal several copies of its text.
 */
export const operationSize = (characters: number, fields: number): number => 65_536 + 4_096 * fields + 8 * characters;

/** A cache key of a text and the name of one of its operations. The length separates them, because a caller may send any name. */
export const operationKey = (text: string, operationName: string): string => `${operationName.length} ${operationName}${text}`;

/** An LRU cache of operations by text and name. A document is printed once, so callers that reuse it skip printing. */
export function cacheOperations(prepare: Prepare): Find {
  const texts = new WeakMap<DocumentNode, string>();
  const operations = new SizedCache<string, Operation>(budget);

  return (document, operationName = '') => {
    let text = texts.get(document);
    if (text === undefined) {
      text = print(document);
      texts.set(document, text);
    }
    const key = operationKey(text, operationName);
    const known = operations.get(key);
    if (known) return known;
    const operation = prepare(document, { operationName: operationName || undefined });
    operations.set(key, operation, operationSize(text.length, countFields(document)));
    return operation;
  };
}

/** Count the field selections of a document; each fragment counts once. */
export function countFields(document: DocumentNode): number {
  let fields = 0;
  visit(document, { Field: () => void fields++ });
  return fields;
}

import type { DocumentNode } from 'graphql';
import { print, visit } from 'graphql';
import { SizedCache } from '../cache.ts';
import type { Operation, Prepare } from '../contract.ts';

type Find = (document: DocumentNode, operationName?: string) => Operation;

/** Bytes of the operations that are kept. */
const budget = 64 * 1024 * 1024;

/**
 * Bytes that an operation takes in memory with its plan and compiled functions. Measured on the product: a small one takes 70 kB, each
 * further field up to 4 kB, a literal several copies of its text.
 */
export const operationSize = (characters: number, fields: number): number => 65_536 + 4_096 * fields + 8 * characters;

/** Keep the operations that were used last. Callers that parse once are known by their document and pay no printing. */
export function cacheOperations(prepare: Prepare): Find {
  const texts = new WeakMap<DocumentNode, string>();
  const operations = new SizedCache<string, Operation>(budget);

  return (document, operationName = '') => {
    let text = texts.get(document);
    if (text === undefined) {
      text = print(document);
      texts.set(document, text);
    }
    const key = `${operationName}\n${text}`;
    const known = operations.get(key);
    if (known) return known;
    const operation = prepare(document, { operationName: operationName || undefined });
    operations.set(key, operation, operationSize(text.length, countFields(document)));
    return operation;
  };
}

/** Selections of fields in a document, each fragment once. */
export function countFields(document: DocumentNode): number {
  let fields = 0;
  visit(document, { Field: () => void fields++ });
  return fields;
}

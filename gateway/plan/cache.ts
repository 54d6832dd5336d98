import type { DocumentNode } from 'graphql';
import { print } from 'graphql';
import type { Operation, Prepare } from '../../schema/request.ts';

type Find = (document: DocumentNode, operationName?: string) => Operation;

const kept = 1000;

/** Keep the operations that were used last. Callers that parse once are known by their document and pay no printing. */
export function cacheOperations(prepare: Prepare): Find {
  const texts = new WeakMap<DocumentNode, string>();
  const operations = new Map<string, Operation>();

  return (document, operationName = '') => {
    let text = texts.get(document);
    if (text === undefined) {
      text = print(document);
      texts.set(document, text);
    }
    const key = `${operationName}\n${text}`;

    const operation = operations.get(key) ?? prepare(document, { operationName: operationName || undefined });
    operations.delete(key);
    operations.set(key, operation);
    if (operations.size > kept) operations.delete(operations.keys().next().value!);
    return operation;
  };
}

import { type DocumentNode, Kind, visit } from 'graphql';

const cache = new WeakMap<DocumentNode, readonly string[]>();

/** The variables of a document inside object literals: `input: { brand: $brand }`. */
export function nestedVariables(document: DocumentNode): readonly string[] {
  const cached = cache.get(document);
  if (cached) return cached;
  const names = new Set<string>();
  visit(document, {
    ObjectField: ({ value }) => {
      if (value.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  cache.set(document, [...names]);
  return [...names];
}

import { type DocumentNode, Kind, visit } from 'graphql';

const known = new WeakMap<DocumentNode, readonly string[]>();

/** The variables of a document that fill fields of object literals: `input: { brand: $brand }`. */
export function nestedVariables(document: DocumentNode): readonly string[] {
  const found = known.get(document);
  if (found) return found;
  const names = new Set<string>();
  visit(document, {
    ObjectField: ({ value }) => {
      if (value.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  known.set(document, [...names]);
  return [...names];
}

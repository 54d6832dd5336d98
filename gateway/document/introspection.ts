import type { DocumentNode } from 'graphql';
import { Kind, visit } from 'graphql';

const introspection = new Set(['__schema', '__type']);

/** Replace introspection fields by `__typename`. The planner would send them to subgraphs when they have a condition. */
export const withoutIntrospection = (document: DocumentNode): DocumentNode =>
  visit(document, {
    Field: (field) =>
      introspection.has(field.name.value)
        ? { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' }, directives: field.directives }
        : undefined,
  });

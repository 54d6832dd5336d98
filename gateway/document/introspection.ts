import type { DocumentNode } from 'graphql';
import { Kind, visit } from 'graphql';

const introspection = new Set(['__schema', '__type']);

/** The document without introspection, which the planner would look for in the subgraphs when it stands under a condition. */
export const withoutIntrospection = (document: DocumentNode): DocumentNode =>
  visit(document, {
    Field: (field) =>
      introspection.has(field.name.value)
        ? { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' }, directives: field.directives }
        : undefined,
  });

import { gql } from 'urql';
import type { graphql as typed } from '../../.graph/gql.ts';

const fragments = new Map<string, ReturnType<typeof gql>>();

/**
 * Parse a document of a page. Its result and variables have the generated types; `npm run check` generates them.
 * A fragment has a document of its own. Import its module where a query spreads it.
 */
export const graphql = ((source: string) => {
  const spread = [...source.matchAll(/\.\.\.\s*(?!on\b)(\w+)/g)].flatMap(([, name]) => fragments.get(name!) ?? []);
  // The parts of a template that ends with its fragments.
  const parts = [source, ...spread.map(() => '')] as unknown as TemplateStringsArray;
  const document = gql(parts, ...spread);
  const [, name] = /^\s*fragment (\w+)/.exec(source) ?? [];
  if (name) fragments.set(name, document);
  return document;
}) as unknown as typeof typed;

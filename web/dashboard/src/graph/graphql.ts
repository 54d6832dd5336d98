import { gql } from 'urql';
import type { graphql as typed } from '../../.graph/gql.ts';

// The types of the library allow only tagged templates.
const parse = gql as unknown as (source: string, ...fragments: object[]) => ReturnType<typeof gql>;
const fragments = new Map<string, ReturnType<typeof gql>>();

/**
 * Parse a document of a page. Its result and variables have the generated types; `npm run check` generates them.
 * A fragment has a document of its own. Import its module where a query spreads it.
 */
export const graphql = ((source: string) => {
  const spread = [...source.matchAll(/\.\.\.\s*(?!on\b)(\w+)/g)].flatMap(([, name]) => fragments.get(name!) ?? []);
  const document = parse(source, ...spread);
  const [, name] = /^\s*fragment (\w+)/.exec(source) ?? [];
  if (name) fragments.set(name, document);
  return document;
}) as unknown as typeof typed;

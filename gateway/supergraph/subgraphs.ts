import type { DocumentNode } from 'graphql';
import { Kind, parse, valueFromASTUntyped } from 'graphql';

export interface SubgraphAddress {
  /** The name of the subgraph in the directives of the supergraph. */
  key: string;
  name: string;
  /** Empty when the supergraph was composed without addresses. */
  url: string;
}

/** The subgraphs of a composed supergraph, as its `join__Graph` lists them. Throws a predicate that says what the text is not. */
export function subgraphsOf(sdl: string): SubgraphAddress[] {
  const graphs = documentIn(sdl).definitions.find(
    (each) => each.kind === Kind.ENUM_TYPE_DEFINITION && each.name.value === 'join__Graph',
  );
  if (graphs?.kind !== Kind.ENUM_TYPE_DEFINITION) throw new Error('is not a composed supergraph: it has no enum join__Graph');
  return (graphs.values ?? []).map((value) => {
    const given = value.directives?.find(({ name }) => name.value === 'join__graph')?.arguments ?? [];
    const argument = (name: string) => {
      const node = given.find((each) => each.name.value === name);
      return node ? String(valueFromASTUntyped(node.value) ?? '') : '';
    };
    return { key: value.name.value, name: argument('name'), url: argument('url') };
  });
}

function documentIn(sdl: string): DocumentNode {
  if (sdl.trim() === '') throw new Error('is empty');
  try {
    return parse(sdl, { noLocation: true });
  } catch (error) {
    const { message, locations } = error as { message: string; locations?: { line: number; column: number }[] };
    const [place] = locations ?? [];
    throw new Error(`is not GraphQL: ${message}${place ? ` in line ${place.line}, column ${place.column}` : ''}`);
  }
}

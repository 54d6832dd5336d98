import type { DocumentNode } from 'graphql';
import { Kind, parse, valueFromASTUntyped } from 'graphql';

export interface SubgraphAddress {
  /** The value of `join__Graph` that directives use for the subgraph. */
  key: string;
  name: string;
  /** Empty when the supergraph was composed without addresses. */
  url: string;
}

let last: { sdl: string; subgraphs: SubgraphAddress[] } | undefined;

/** List the subgraphs in the `join__Graph` enum. Throws if the text is not a composed supergraph; the message is a predicate. */
export function subgraphsOf(sdl: string): SubgraphAddress[] {
  // Several settings of one start depend on it, and parsing a large supergraph takes 50 ms.
  if (last?.sdl !== sdl) last = { sdl, subgraphs: readSubgraphs(sdl) };
  return last.subgraphs.map((each) => ({ ...each }));
}

function readSubgraphs(sdl: string): SubgraphAddress[] {
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

import { Kind, parse, valueFromASTUntyped } from 'graphql';

export interface SubgraphAddress {
  /** What the supergraph calls it in its own directives. */
  key: string;
  name: string;
  /** Empty when the supergraph was composed without addresses. */
  url: string;
}

/** The subgraphs of a composed supergraph, as its `join__Graph` lists them. Throws when the text is no supergraph. */
export function subgraphsOf(sdl: string): SubgraphAddress[] {
  const graphs = parse(sdl, { noLocation: true }).definitions.find(
    (each) => each.kind === Kind.ENUM_TYPE_DEFINITION && each.name.value === 'join__Graph',
  );
  if (graphs?.kind !== Kind.ENUM_TYPE_DEFINITION) throw new Error('The supergraph lists no subgraphs: it was not composed');
  return (graphs.values ?? []).map((value) => {
    const given = value.directives?.find(({ name }) => name.value === 'join__graph')?.arguments ?? [];
    const argument = (name: string) => {
      const node = given.find((each) => each.name.value === name);
      return node ? String(valueFromASTUntyped(node.value) ?? '') : '';
    };
    return { key: value.name.value, name: argument('name'), url: argument('url') };
  });
}

import type { ConstDirectiveNode } from 'graphql';
import { Kind } from 'graphql';

/** The directive that carries the access level of a root field from the subgraphs through the supergraph to the API schema. */
export const ACCESS = 'access';

/** SDL that declares the directive in a subgraph and retains it in composition. */
export const accessSdl = `extend schema
  @link(url: "https://catalog-graph.example/access/v1.0", import: ["@${ACCESS}"])
  @composeDirective(name: "@${ACCESS}")

"""
Who may use a field: any \`user\` with an API key or a session, a \`member\`, \`admin\` or \`owner\` of the organization of the request, or an \`operator\`.
Fields without it need no key.
"""
directive @${ACCESS}(level: String!) on FIELD_DEFINITION
`;

/** The need of a field towards its caller: nothing, a valid credential, or an organization that the caller is a member of. */
export type Need = 'nothing' | 'user' | 'organization';

interface Field {
  astNode?: { directives?: readonly ConstDirectiveNode[] } | null;
}

/** The need of a root field, in a schema built from SDL. Fields of other subgraphs have no directive and need nothing. */
export function needOf({ astNode }: Field): Need {
  const applied = astNode?.directives?.find(({ name }) => name.value === ACCESS);
  const level = applied?.arguments?.[0]?.value;
  if (level?.kind !== Kind.STRING) return 'nothing';
  return level.value === 'user' || level.value === 'operator' ? 'user' : 'organization';
}

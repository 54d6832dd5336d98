import {
  type ConstDirectiveNode,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLSchema,
  isInputObjectType,
  isObjectType,
  Kind,
  valueFromASTUntyped,
} from 'graphql';
import { textPatterns } from './text.ts';

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

/** The directive that declares a nullable field to be null only beside its error. Relay and code generators read it. */
export const SEMANTIC_NON_NULL = 'semanticNonNull';

/** SDL that declares the directive in a subgraph and retains it in composition. */
export const semanticNonNullSdl = `extend schema
  @link(url: "https://catalog-graph.example/nullability/v1.0", import: ["@${SEMANTIC_NON_NULL}"])
  @composeDirective(name: "@${SEMANTIC_NON_NULL}")

"""The field is null only if it failed. Its error is in \`errors\`."""
directive @${SEMANTIC_NON_NULL}(levels: [Int!]! = [0]) on FIELD_DEFINITION
`;

/** Limits of an input field or argument. Lengths count code points; on a list, all limits but the number of items apply to each item. */
export interface Constraint {
  minLength?: number;
  maxLength?: number;
  /** ECMA-262, valid with the flag `u`. */
  pattern?: string;
  /** A JSON Schema format, for documentation only; the service validates the value itself. */
  format?: 'uri' | 'email' | 'uuid';
  min?: number;
  max?: number;
  minItems?: number;
  maxItems?: number;
  /** A nullable field may be absent, but not null. */
  notNull?: boolean;
}

/** The directive that carries the limits from the subgraphs through the supergraph to the API schema. */
export const CONSTRAINT = 'constraint';

/** SDL that declares the directive in a subgraph and retains it in composition. */
export const constraintSdl = `extend schema
  @link(url: "https://catalog-graph.example/constraint/v1.0", import: ["@${CONSTRAINT}"])
  @composeDirective(name: "@${CONSTRAINT}")

"""Limits of a value. On a list, all but the number of items apply to each item."""
directive @${CONSTRAINT}(minLength: Int, maxLength: Int, pattern: String, format: String, min: Float, max: Float, minItems: Int, maxItems: Int, notNull: Boolean) on ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION
`;

interface Constrained {
  astNode?: { directives?: readonly ConstDirectiveNode[] } | null;
}

/** The constraint of an input field or argument, in a schema built from SDL. */
export function constraintOf({ astNode }: Constrained): Constraint | undefined {
  const applied = astNode?.directives?.find(({ name }) => name.value === CONSTRAINT);
  return applied && Object.fromEntries((applied.arguments ?? []).map((each) => [each.name.value, valueFromASTUntyped(each.value)]));
}

/** Repeat the constraints in the descriptions of a schema, because introspection does not show directives. */
export function describeConstraints(schema: GraphQLSchema): void {
  for (const target of inputsOf(schema)) {
    const constraint = constraintOf(target);
    if (constraint) target.description = [target.description, sentenceOf(constraint)].filter(Boolean).join(' ');
  }
}

function* inputsOf(schema: GraphQLSchema): Generator<GraphQLArgument | GraphQLInputField> {
  for (const type of Object.values(schema.getTypeMap())) {
    if (isInputObjectType(type)) yield* Object.values(type.getFields());
    if (isObjectType(type)) for (const { args } of Object.values(type.getFields())) yield* args;
  }
}

function sentenceOf({ minLength, maxLength, min, max, minItems, maxItems, pattern, notNull }: Constraint): string {
  return [
    range(minItems, maxItems, ' entries'),
    range(minLength, maxLength, ' characters'),
    range(min, max, ''),
    pattern ? (textPatterns[pattern] ?? `Matches ${pattern}.`) : '',
    notNull ? 'Not null.' : '',
  ]
    .filter(Boolean)
    .join(' ');
}

function range(low: number | undefined, high: number | undefined, unit: string): string {
  if (low !== undefined && high !== undefined) return `${low} to ${high}${unit}.`;
  if (high !== undefined) return `At most ${high}${unit}.`;
  return low === undefined ? '' : `At least ${low}${unit}.`;
}

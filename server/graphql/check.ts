import type { DocumentNode, GraphQLSchema, ValidationRule } from 'graphql';
import { GraphQLError, NoSchemaIntrospectionCustomRule, parse, specifiedRules, validate } from 'graphql';
import { isStorable } from '../../schema/text.ts';
import type { Limits } from './limits.ts';
import { exceeds } from './limits.ts';

export interface CheckOptions {
  /** Let callers read the schema. */
  introspection: boolean;
  /** Leave out "Did you mean …", which tells of a schema that may not be read. */
  hideSuggestions: boolean;
  limits: Limits;
}

/** Says what is wrong with a document; nothing when its operations may run. */
export type Check = (document: DocumentNode) => readonly GraphQLError[];

/** All that is wrong with a document, thrown at once. */
export class Faults extends Error {
  constructor(readonly errors: readonly GraphQLError[]) {
    super(errors.map(({ message }) => message).join('\n'));
  }
}

/** The rules for documents of callers on any transport: limits first, then those of GraphQL. */
export function createCheck(schema: GraphQLSchema, { introspection, hideSuggestions, limits }: CheckOptions): Check {
  const rules = [...specifiedRules, storableText, ...(introspection ? [] : [NoSchemaIntrospectionCustomRule])];
  const checked = new WeakMap<DocumentNode, readonly GraphQLError[]>();

  const faultsOf = (document: DocumentNode): readonly GraphQLError[] => {
    const excess = exceeds(document, limits);
    if (excess) return [excess];
    const faults = validate(schema, document, rules, { maxErrors: 20, hideSuggestions });
    return faults.map((fault) => coded(fault, 'GRAPHQL_VALIDATION_FAILED'));
  };

  return (document) => {
    const known = checked.get(document);
    if (known) return known;
    const faults = faultsOf(document);
    checked.set(document, faults);
    return faults;
  };
}

/** Text in a document obeys the rule of text in variables: what no database can store is refused at the door. */
const storableText: ValidationRule = (context) => ({
  StringValue(node) {
    if (!isStorable(node.value)) {
      context.reportError(new GraphQLError('Text may not contain NUL or half of a surrogate pair', { nodes: node }));
    }
  },
});

/** Parse the text of a caller. Throws one `GRAPHQL_PARSE_FAILED`. */
export function readDocument(text: string, { tokens, characters }: Limits): DocumentNode {
  if (text.length > characters) {
    throw coded(new GraphQLError(`A document may have at most ${characters} characters`), 'GRAPHQL_PARSE_FAILED');
  }
  try {
    return parse(text, { maxTokens: tokens });
  } catch (error) {
    // Values nested beyond the stack are no syntax error.
    throw coded(
      error instanceof GraphQLError ? error : new GraphQLError('The document is nested too deeply'),
      'GRAPHQL_PARSE_FAILED',
    );
  }
}

const coded = ({ message, nodes, source, positions }: GraphQLError, code: string) =>
  new GraphQLError(message, { nodes, source, positions, extensions: { code } });

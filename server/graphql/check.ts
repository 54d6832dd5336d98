import type { DocumentNode, GraphQLSchema, ValidationRule } from 'graphql';
import {
  GraphQLError,
  NoSchemaIntrospectionCustomRule,
  OverlappingFieldsCanBeMergedRule,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import { isStorable } from '../../schema/text.ts';
import { mergeConflict } from './field-merging.ts';
import type { Limits } from './limits.ts';
import { countFields } from './limits.ts';

export interface CheckOptions {
  /** Let callers read the schema. */
  introspection: boolean;
  /** Leave out "Did you mean …", which tells of a schema that may not be read. */
  hideSuggestions: boolean;
  limits: Limits;
}

/** What is known of a document before it is planned. */
export interface Checked {
  /** Empty when the operations of the document may run. */
  readonly faults: readonly GraphQLError[];
  /** Number of fields, with fragments written out. */
  readonly fields: number;
}

export type Check = (document: DocumentNode) => Checked;

/** All that is wrong with a document, thrown at once. */
export class Faults extends Error {
  constructor(readonly errors: readonly GraphQLError[]) {
    super(errors.map(({ message }) => message).join('\n'));
  }
}

/** The rules for documents of callers on any transport: limits first, then those of GraphQL, the most expensive one last. */
export function createCheck(schema: GraphQLSchema, { introspection, hideSuggestions, limits }: CheckOptions): Check {
  const rules = [
    ...specifiedRules.filter((rule) => rule !== OverlappingFieldsCanBeMergedRule),
    storableText,
    ...(introspection ? [] : [NoSchemaIntrospectionCustomRule]),
  ];
  const checked = new WeakMap<DocumentNode, Checked>();

  const validated = (document: DocumentNode): readonly GraphQLError[] => {
    const faults = validate(schema, document, rules, { maxErrors: 20, hideSuggestions });
    if (faults.length > 0) return faults;
    const conflict = mergeConflict(schema, document);
    return conflict ? [conflict] : [];
  };

  const check = (document: DocumentNode): Checked => {
    try {
      const fields = countFields(document, limits);
      return { faults: validated(document).map((fault) => coded(fault, 'GRAPHQL_VALIDATION_FAILED')), fields };
    } catch (error) {
      if (error instanceof GraphQLError) return { faults: [coded(error, 'GRAPHQL_VALIDATION_FAILED')], fields: 0 };
      throw error;
    }
  };

  return (document) => {
    const known = checked.get(document);
    if (known) return known;
    const result = check(document);
    checked.set(document, result);
    return result;
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

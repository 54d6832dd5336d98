import type { DocumentNode, GraphQLSchema, ValidationRule } from 'graphql';
import {
  GraphQLError,
  NoSchemaIntrospectionCustomRule,
  OverlappingFieldsCanBeMergedRule,
  parse,
  specifiedRules,
  ValuesOfCorrectTypeRule,
  validate,
} from 'graphql';
import type { RequestErrorCode } from '../../schema/errors.ts';
import { mergeConflict } from './field-merging.ts';
import type { Limits } from './limits.ts';
import { countFields } from './limits.ts';
import { literalsOfCorrectType } from './literals.ts';

export interface CheckOptions {
  /** Allow introspection. */
  introspection: boolean;
  /** Omit "Did you mean …", which reveals parts of a hidden schema. */
  hideSuggestions: boolean;
  limits: Limits;
}

/** The result of validating a document. */
export interface Checked {
  /** Empty when the document is valid. */
  readonly faults: readonly GraphQLError[];
  /** Number of fields, with fragments expanded. */
  readonly fields: number;
}

export type Check = (document: DocumentNode) => Checked;

/** All validation errors of a document. */
export class Faults extends Error {
  constructor(readonly errors: readonly GraphQLError[]) {
    super(errors.map(({ message }) => message).join('\n'));
  }
}

/**
 * Create the validation of documents: first the limits, then the GraphQL rules, the most expensive one last. Results are cached.
 */
export function createCheck(schema: GraphQLSchema, { introspection, hideSuggestions, limits }: CheckOptions): Check {
  const rules = [
    ...specifiedRules.filter((rule) => !replaced.includes(rule)),
    literalsOfCorrectType,
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

/** The rules of graphql-js that others here replace. */
const replaced: readonly ValidationRule[] = [OverlappingFieldsCanBeMergedRule, ValuesOfCorrectTypeRule];

/** Parse a document. Throws `GRAPHQL_PARSE_FAILED`. */
export function readDocument(text: string, { tokens, characters }: Limits): DocumentNode {
  if (text.length > characters) {
    throw coded(new GraphQLError(`A document may have at most ${characters} characters`), 'GRAPHQL_PARSE_FAILED');
  }
  try {
    return parse(text, { maxTokens: tokens });
  } catch (error) {
    // Deeply nested values overflow the stack, which is not a `GraphQLError`.
    throw coded(
      error instanceof GraphQLError ? error : new GraphQLError('The document is nested too deeply'),
      'GRAPHQL_PARSE_FAILED',
    );
  }
}

/** The error with this code, unless its rule gave it one. */
const coded = ({ message, nodes, source, positions, extensions }: GraphQLError, code: RequestErrorCode) =>
  new GraphQLError(message, { nodes, source, positions, extensions: { code, ...extensions } });

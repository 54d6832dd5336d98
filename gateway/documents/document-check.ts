import {
  type ArgumentNode,
  type ASTNode,
  type ASTVisitor,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  Kind,
  NoSchemaIntrospectionCustomRule,
  OperationTypeNode,
  OverlappingFieldsCanBeMergedRule,
  parse,
  specifiedRules,
  type ValidationContext,
  type ValidationRule,
  type ValueNode,
  ValuesOfCorrectTypeRule,
  type VariableDefinitionNode,
  validate,
  visit,
} from 'graphql';
import { fail } from '../gateway-error.ts';
import { maxDepth, numberFault, textFault, tooDeep } from '../plan/variables.ts';
import { countFields, type Limits } from './document-limits.ts';
import { mergeConflict } from './field-merging.ts';

interface CheckOptions {
  /** Allow introspection. */
  introspection: boolean;
  /** Omit "Did you mean …", which reveals parts of a hidden schema. */
  hideSuggestions: boolean;
  limits: Limits;
}

/** The result of validating a document. */
interface Checked {
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
    deferrable,
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
const coded = (
  { message, nodes, source, positions, extensions }: GraphQLError,
  code: 'GRAPHQL_PARSE_FAILED' | 'GRAPHQL_VALIDATION_FAILED',
) => new GraphQLError(message, { nodes, source, positions, extensions: { code, ...extensions } });

/** The faults of values of built-in scalars, as for variables. */
const builtIn: Record<string, string> = {
  Int: 'must be an integer',
  Float: 'must be a number',
  String: 'must be a string',
  Boolean: 'must be true or false',
  ID: 'must be a string',
};

/**
 * A validation rule: literals have the type of their place and are storable text. A fault names the argument, in the words of a fault of a
 * variable, and has the same code.
 */
function literalsOfCorrectType(context: ValidationContext): ASTVisitor {
  let place: ArgumentNode | VariableDefinitionNode | undefined;
  const report = (node: ASTNode, sentenceOf: (path: string) => string) =>
    context.reportError(new GraphQLError(sentenceOf(pathOf(place, node)), { nodes: node, extensions: { code: 'INVALID_INPUT' } }));
  /** The node that the rule visits. Errors that scalars throw have no nodes. */
  let visited: ASTNode;
  // The rule reads the types of this context through its prototype.
  const named: ValidationContext = Object.create(context, {
    reportError: {
      value(error: GraphQLError) {
        const node = error.nodes?.[0] ?? visited;
        report(node, (path) => sentenceOf(error, node, path, context));
      },
    },
  });
  const enter = (node: ArgumentNode | VariableDefinitionNode) => {
    place = node;
  };
  const rule = Object.entries(ValuesOfCorrectTypeRule(named) as Record<string, (node: ASTNode) => unknown>);
  const noting = (visit: (node: ASTNode) => unknown) => (node: ASTNode) => {
    visited = node;
    return visit(node);
  };
  const { StringValue: ofText, ...rest } = Object.fromEntries(rule.map(([kind, visit]) => [kind, noting(visit)]));
  return {
    ...rest,
    Argument: enter,
    VariableDefinition: enter,
    StringValue(node) {
      const fault = textFault(node.value);
      if (fault) return report(node, (path) => `${path} ${fault}`);
      return void ofText!(node);
    },
  } as ASTVisitor;
}

/** Each part of a response repeats its label. */
const MAX_LABEL = 100;

/** A validation rule: `@defer` has a unique, literal label, and is neither at the root of a mutation nor in a subscription. */
function deferrable(context: ValidationContext): ASTVisitor {
  const labels = new Set<string>();
  const report = (message: string, nodes: ASTNode) => context.reportError(new GraphQLError(message, { nodes }));
  const subscribed = new Set<ASTNode>(
    context
      .getDocument()
      .definitions.flatMap((each) =>
        each.kind === Kind.OPERATION_DEFINITION && each.operation === OperationTypeNode.SUBSCRIPTION
          ? [each, ...context.getRecursivelyReferencedFragments(each)]
          : [],
      ),
  );
  let isSubscribing = false;
  const enter = (definition: ASTNode) => {
    isSubscribing = subscribed.has(definition);
  };
  return {
    OperationDefinition: enter,
    FragmentDefinition: enter,
    Directive(directive) {
      if (directive.name.value !== 'defer') return;
      const argument = (name: string) => directive.arguments?.find((each) => each.name.value === name)?.value;
      const condition = argument('if');
      if (condition?.kind === Kind.BOOLEAN && !condition.value) return;
      const root = context.getParentType();
      if (isSubscribing) report('@defer cannot be used in subscriptions', directive);
      else if (root && root === context.getSchema().getMutationType())
        report('@defer cannot be used at the root of a mutation', directive);
      const label = argument('label');
      if (!label) return;
      if (label.kind !== Kind.STRING) report('The label of @defer must be a literal string', directive);
      else if (label.value.length > MAX_LABEL) report(`The label of @defer may have at most ${MAX_LABEL} characters`, directive);
      else if (labels.has(label.value)) report(`The label ${JSON.stringify(label.value)} of @defer must be unique`, directive);
      else labels.add(label.value);
    },
  };
}

/** The argument whose name is left out of paths, as for variables, because REST bodies fill it. */
const INPUT = 'input';

/** The sentence about the fault of the literal at a path. */
function sentenceOf({ message, originalError }: GraphQLError, { kind }: ASTNode, path: string, context: ValidationContext): string {
  if (kind === Kind.OBJECT_FIELD) return `unknown field: ${path}${/\. Did you mean .*$/.exec(message)?.[0] ?? ''}`;
  const type = getNamedType(context.getInputType());
  const missing = kind === Kind.OBJECT ? /^Field "\w+\.(\w+)" of required type/.exec(message)?.[1] : undefined;
  if (missing) return `${path === INPUT ? '' : `${path}.`}${missing} is required`;
  if (kind === Kind.NULL) return `${path} is required`;
  if (isEnumType(type))
    return `${path} must be one of ${type
      .getValues()
      .map(({ name }) => name)
      .join(', ')}`;
  if (isInputObjectType(type)) return `${path} must be an object`;
  const says = originalError?.message ?? builtIn[type?.name ?? ''] ?? message;
  return `${path}${/^\p{Lu}/u.test(says) ? ':' : ''} ${says}`;
}

/** The path of a literal from its argument or variable: `filter.colors[1]`. */
function pathOf(place: ArgumentNode | VariableDefinitionNode | undefined, node: ASTNode): string {
  if (!place) return 'a value';
  const [name, value] =
    place.kind === Kind.ARGUMENT ? [place.name.value, place.value] : [place.variable.name.value, place.defaultValue];
  const inner = (value && pathIn(value, node)) ?? '';
  return name === INPUT && inner ? inner.replace(/^\./, '') : name + inner;
}

/** Undefined if the value does not contain the node. */
function pathIn(value: ValueNode, node: ASTNode): string | undefined {
  if (value === node) return '';
  const parts =
    value.kind === Kind.LIST
      ? value.values.map((each, at) => [`[${at}]`, each, each] as const)
      : value.kind === Kind.OBJECT
        ? value.fields.map((each) => [`.${each.name.value}`, each, each.value] as const)
        : [];
  for (const [segment, part, inner] of parts) {
    const rest = part === node ? '' : pathIn(inner, node);
    if (rest !== undefined) return segment + rest;
  }
}

/** Apply the rules of variables to the literals of an operation. Throws `INVALID_INPUT`. */
export function checkLiterals(document: DocumentNode): void {
  let depth = 0;
  const refuse = (fault: string | undefined, what: string) => {
    if (fault) throw fail('INVALID_INPUT', `${what} ${fault}`);
  };
  const nested = {
    enter: () => refuse(++depth > maxDepth ? tooDeep : undefined, 'a value in the operation'),
    leave: () => void depth--,
  };
  visit(document, {
    // As a key of a plain object, this name would set the prototype.
    Name: ({ value }) => refuse(value === '__proto__' ? 'cannot be used as a name' : undefined, '__proto__'),
    // The planner reserves this variable for entity representations.
    VariableDefinition: ({ variable }) =>
      refuse(variable.name.value === 'representations' ? 'cannot be used as a variable' : undefined, '$representations'),
    Directive: ({ name }) => refuse(name.value === 'stream' ? 'is not supported' : undefined, '@stream'),
    StringValue: ({ value }) => refuse(textFault(value), 'a text in the operation'),
    IntValue: ({ value }) => refuse(numberFault(Number(value)), 'a number in the operation'),
    FloatValue: ({ value }) => refuse(numberFault(Number(value)), 'a number in the operation'),
    ListValue: nested,
    ObjectValue: nested,
  });
}

import type { DocumentNode, FieldNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { executeSync, Kind, OperationTypeNode, print, visit } from 'graphql';
import { SizedCache } from '../cache.ts';
import type { Selecting } from '../document/select.ts';
import type { Data } from './run.ts';

/** The schema does not change, so neither do its answers. All operations share them: one answer may be far larger than its question. */
const answers = new WeakMap<GraphQLSchema, SizedCache<string, string>>();
/** Bytes of the answers that are kept for a schema. */
const budget = 8 * 1024 * 1024;

/** The text of one key with `__schema` or `__type`, from the API schema, by graphql-js. */
export function compileIntrospection(
  nodes: readonly FieldNode[],
  { schema, fragments, operation }: Selecting,
): (variables: Readonly<Data>) => string {
  const used = new Set<string>();
  for (const node of [...nodes, ...fragments.values()]) visit(node, { Variable: ({ name }) => void used.add(name.value) });
  const definition: OperationDefinitionNode = {
    kind: Kind.OPERATION_DEFINITION,
    operation: OperationTypeNode.QUERY,
    variableDefinitions: operation.variableDefinitions?.filter(({ variable }) => used.has(variable.name.value)),
    selectionSet: { kind: Kind.SELECTION_SET, selections: nodes },
  };
  const key = (nodes[0]!.alias ?? nodes[0]!.name).value;
  return answer(key, schema, { kind: Kind.DOCUMENT, definitions: [definition, ...fragments.values()] }, used.size > 0);
}

function answer(key: string, schema: GraphQLSchema, document: DocumentNode, varies: boolean) {
  const ask = (variableValues: Readonly<Data>): string => {
    const { data, errors } = executeSync({ schema, document, variableValues });
    if (errors) throw errors[0];
    return JSON.stringify(data![key]);
  };
  if (varies) return ask;
  const texts = answers.get(schema) ?? new SizedCache(budget);
  answers.set(schema, texts);
  const question = print(document);
  return () => {
    const known = texts.get(question);
    if (known !== undefined) return known;
    const text = ask({});
    texts.set(question, text, 2 * (question.length + text.length));
    return text;
  };
}

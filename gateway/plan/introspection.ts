import {
  type DocumentNode,
  executeSync,
  type FieldNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  print,
  visit,
} from 'graphql';
import { SizedCache } from '../cache.ts';
import type { CollectContext } from '../selection.ts';
import type { Data } from './context.ts';

/** Introspection results by schema, shared by all operations because a small query can have a large result. */
const answers = new WeakMap<GraphQLSchema, SizedCache<string, string>>();
/** Maximum bytes of cached results per schema. */
const budget = 8 * 1024 * 1024;

/** Compile one `__schema` or `__type` selection to a function that returns its JSON. graphql-js executes it. */
export function compileIntrospection(
  nodes: readonly FieldNode[],
  { schema, fragments, operation }: CollectContext,
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
  const execute = (variableValues: Readonly<Data>): string => {
    const { data, errors } = executeSync({ schema, document, variableValues });
    if (errors) throw errors[0];
    return JSON.stringify(data![key]);
  };
  if (varies) return execute;
  const texts = answers.get(schema) ?? new SizedCache(budget);
  answers.set(schema, texts);
  const query = print(document);
  return () => {
    const known = texts.get(query);
    if (known !== undefined) return known;
    const text = execute({});
    texts.set(query, text, 2 * (query.length + text.length));
    return text;
  };
}

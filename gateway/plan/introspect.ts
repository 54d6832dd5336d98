import type { DocumentNode, GraphQLObjectType, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { executeSync, Kind, visit } from 'graphql';
import type { Data } from './run.ts';
import type { Selecting } from './select.ts';
import { fieldsFor } from './select.ts';

/** Answer `__schema` and `__type` of an operation from the API schema; undefined when it asks for neither. */
export function compileIntrospection(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  root: GraphQLObjectType,
  setting: Selecting,
): ((variables: Readonly<Data>) => Data) | undefined {
  const nodes = [...fieldsFor(root, [operation.selectionSet], setting).values()]
    .flat()
    .filter(({ name }) => name.value === '__schema' || name.value === '__type');
  if (nodes.length === 0) return undefined;

  const used = variablesIn(nodes, document);
  const asked: DocumentNode = {
    kind: Kind.DOCUMENT,
    definitions: [
      {
        ...operation,
        variableDefinitions: operation.variableDefinitions?.filter(({ variable }) => used.has(variable.name.value)),
        selectionSet: { kind: Kind.SELECTION_SET, selections: nodes },
      },
      ...setting.fragments.values(),
    ],
  };
  return answer(setting.schema, asked, used.size > 0);
}

function answer(schema: GraphQLSchema, document: DocumentNode, varies: boolean) {
  const ask = (variableValues: Readonly<Data>) => {
    const { data, errors } = executeSync({ schema, document, variableValues });
    if (errors) throw errors[0];
    return data as Data;
  };
  if (varies) return ask;
  // The schema does not change, so neither does what it says about itself.
  let known: Data | undefined;
  return () => {
    known ??= ask({});
    return known;
  };
}

function variablesIn(nodes: readonly unknown[], { definitions }: DocumentNode): Set<string> {
  const used = new Set<string>();
  const note = { Variable: ({ name }: { name: { value: string } }) => void used.add(name.value) };
  for (const node of nodes) visit(node as DocumentNode, note);
  for (const definition of definitions) if (definition.kind === Kind.FRAGMENT_DEFINITION) visit(definition, note);
  return used;
}

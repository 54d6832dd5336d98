import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { type Need, needOf } from '../../schema/access.ts';

const order: readonly Need[] = ['nothing', 'user', 'organization'];

/**
 * The least need of the root fields of an operation. The document may be invalid: unknown fields need nothing, so that
 * validation reports them. `__typename` does not count.
 */
export function leastNeed(document: DocumentNode, operationName: string | null | undefined, schema: GraphQLSchema): Need {
  const definition = getOperationAST(document, operationName);
  const fields = definition && schema.getRootType(definition.operation)?.getFields();
  if (!fields) return 'nothing';
  const fragments = new Map(
    document.definitions.flatMap((each) => (each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each] as const] : [])),
  );
  const needs = [...rootNames(definition.selectionSet, fragments)].map((name) => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    return field ? needOf(field) : 'nothing';
  });
  return order.find((need) => needs.includes(need)) ?? 'nothing';
}

/** The names of the root fields. Each fragment is followed once, because it may refer to itself. */
function rootNames(
  { selections }: SelectionSetNode,
  fragments: Map<string, FragmentDefinitionNode>,
  names = new Set<string>(),
): Set<string> {
  for (const each of selections) {
    if (each.kind === Kind.FIELD) {
      if (each.name.value !== '__typename') names.add(each.name.value);
      continue;
    }
    const part = each.kind === Kind.INLINE_FRAGMENT ? each : fragments.get(each.name.value);
    if (each.kind === Kind.FRAGMENT_SPREAD) fragments.delete(each.name.value);
    if (part) rootNames(part.selectionSet, fragments, names);
  }
  return names;
}

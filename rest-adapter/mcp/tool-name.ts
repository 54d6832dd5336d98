import type { ArgumentNode, FieldNode, GraphQLSchema } from 'graphql';
import { getNullableType, isListType, isObjectType, Kind } from 'graphql';
import type { RowOperation } from '../endpoint.ts';
import type { Route } from '../route.ts';

/**
 * The name of the tool of a row: a verb and a noun of its operation, such as `create_brand` or `list_products`. Constants in the
 * operation are part of the noun: `stopJob(kind: "ai-import")` becomes `stop_ai_import_job`.
 */
export function toolName({ row }: Route, { operation, root }: RowOperation, schema: GraphQLSchema): string {
  if (row.toolName) return row.toolName;
  const kind = (root.arguments ?? []).flatMap(constantOf);
  const words = wordsOf(root.name.value);
  if (operation.operation !== 'query') return [words[0], ...qualified(kind, words.slice(1))].join('_');
  return [isList(root, schema) ? 'list' : 'get', ...qualified(kind, words)].join('_');
}

const constantOf = ({ value }: ArgumentNode): string[] =>
  value.kind === Kind.STRING || value.kind === Kind.ENUM ? value.value.split(/[^a-z0-9]+/i) : [];

const wordsOf = (name: string) => name.split(/(?=[A-Z])/).map((word) => word.toLowerCase());

/** Both may share a word, as `brand-enrichment` and `enrichmentFile` do. */
const qualified = (kind: string[], noun: string[]) => [...kind, ...(kind.at(-1) === noun[0] ? noun.slice(1) : noun)];

/** Whether the field is a list, or a page with `nodes`. */
function isList({ name }: FieldNode, schema: GraphQLSchema): boolean {
  const type = getNullableType(schema.getQueryType()?.getFields()[name.value]?.type);
  return isListType(type) || (isObjectType(type) && 'nodes' in type.getFields());
}

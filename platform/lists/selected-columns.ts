import type { EntityClass } from '@mikro-orm/postgresql';
import { type FieldNode, type GraphQLResolveInfo, getNamedType, isObjectType, Kind, type SelectionSetNode } from 'graphql';
import { type Rows, readRows } from '../database/index.ts';
import type { RequestScope } from '../scope/index.ts';

type Info = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments' | 'returnType'>;

/** The columns of a list that operations have selected so far, by the list of all columns. */
interface Selections {
  /** By the field of an operation; undefined if the operation needs all columns. */
  byField: WeakMap<readonly FieldNode[], Selected | undefined>;
  /** By the names of the columns. */
  columns: Map<string, readonly string[]>;
}

interface Selected {
  fields: ReadonlySet<string>;
  columns: readonly string[];
}

/** Each set of columns is another prepared statement, and callers choose the sets. */
const MAX_SETS = 16;
/** Resolvers of other fields, and batches, identify a row by these. */
const KEYS = ['id', 'organizationId'];

const known = new WeakMap<readonly string[], Selections>();

/**
 * Restrict the columns of a page to those that its operation selects. Keeps all of them if it selects a field with a resolver, which may
 * read any column.
 */
export function selectColumns<T extends object>(
  { columns, joined = {} }: Rows<T>,
  info: Info,
): Pick<Rows<T>, 'columns' | 'joined'> {
  if (!columns) return { columns, joined };
  const selections = known.get(columns) ?? { byField: new WeakMap(), columns: new Map() };
  known.set(columns, selections);
  const { byField } = selections;
  if (!byField.has(info.fieldNodes)) byField.set(info.fieldNodes, selectedBy(info, columns, joined, selections));
  const selected = byField.get(info.fieldNodes);
  if (!selected) return { columns, joined };
  return {
    columns: selected.columns as typeof columns,
    joined: Object.fromEntries(Object.entries(joined).filter(([name]) => selected.fields.has(name))),
  };
}

function selectedBy(info: Info, all: readonly string[], joined: object, { columns }: Selections): Selected | undefined {
  const fields = plainFields(info, joined);
  if (![...(fields ?? [])].every((name) => all.includes(name) || Object.hasOwn(joined, name))) return undefined;
  const names = fields && all.filter((name) => fields.has(name) || KEYS.includes(name));
  if (!names) return undefined;
  const key = names.join(' ');
  // Equal selections share an array, because the text of a selection is cached by its array.
  if (!columns.has(key) && columns.size < MAX_SETS) columns.set(key, names);
  const selected = columns.get(key);
  return selected && { fields, columns: selected };
}

/** The fields that an operation selects of the nodes of a page, or undefined if one of them needs more than its own column. */
function plainFields({ fieldNodes, fragments, returnType }: Info, joined: object): ReadonlySet<string> | undefined {
  const page = getNamedType(returnType);
  const node = isObjectType(page) ? getNamedType(page.getFields().nodes?.type) : undefined;
  if (!isObjectType(node)) return undefined;
  const declared = node.getFields();
  const names = new Set<string>();
  for (const { name, selectionSet } of fieldsOf(fieldNodes, fragments)) {
    if (name.value !== 'nodes') continue;
    for (const { name: field } of fieldsOf([{ selectionSet }], fragments)) names.add(field.value);
  }
  names.delete('__typename');
  return [...names].every((name) => Object.hasOwn(joined, name) || declared[name]?.resolve === undefined) ? names : undefined;
}

function* fieldsOf(
  parents: readonly { selectionSet?: SelectionSetNode }[],
  fragments: Info['fragments'],
): Generator<FieldNode, void, undefined> {
  for (const { selectionSet } of parents) {
    for (const each of selectionSet?.selections ?? []) {
      if (each.kind === Kind.FIELD) yield each;
      else yield* fieldsOf([each.kind === Kind.INLINE_FRAGMENT ? each : fragments[each.name.value]!], fragments);
    }
  }
}

/** Whether an operation selects a field of the object that is being resolved. */
export function isSelected({ fieldNodes, fragments }: Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>, name: string): boolean {
  const within = ({ selections }: SelectionSetNode): boolean =>
    selections.some((each) => {
      if (each.kind === Kind.FIELD) return each.name.value === name;
      const part = each.kind === Kind.INLINE_FRAGMENT ? each : fragments[each.name.value];
      return part !== undefined && within(part.selectionSet);
    });
  return fieldNodes.some(({ selectionSet }) => selectionSet !== undefined && within(selectionSet));
}

/** A reader of a large column that lists omit. It batches all ids of one tick into one query, and returns null for an unknown id. */
export function columnReader<T extends { id: string }, K extends keyof T & string>(entity: EntityClass<T>, column: K) {
  // A constant, because `readRows` caches the SQL text per array of columns.
  const columns = ['id', column] as const;
  return (scope: RequestScope, id: string): Promise<T[K] | null> =>
    scope.batch(`${entity.name}.${column}`, async (ids) => {
      const found = await readRows(scope, entity, { columns, where: { id: ids } as object });
      return new Map(found.map((row) => [row.id, row[column]]));
    })(id);
}

import type { DocumentNode, FieldNode } from 'graphql';
import { Kind, visit } from 'graphql';

/** An operation whose aliases cannot collide with fields that the plan fetches for its own use. */
export interface RenamedOperation {
  readonly document: DocumentNode;
  /** Maps a key of the fetched data to its key in the response. */
  responseKey(key: string): string;
}

const unchanged = (key: string): string => key;

/**
 * Rename aliases that collide with reserved names. The planner fetches keys and required fields under their own names, so
 * `{ id: name price }` would send the name as the id. The response restores the original aliases.
 */
export function renameReservedAliases(document: DocumentNode, reserved: ReadonlySet<string>): RenamedOperation {
  const aliases = new Set<string>();
  let hasCollision = false;
  const isReserved = ({ name, alias }: FieldNode) => alias !== undefined && alias.value !== name.value && reserved.has(alias.value);
  visit(document, {
    Field(field) {
      aliases.add((field.alias ?? field.name).value);
      hasCollision ||= isReserved(field);
    },
  });
  if (!hasCollision) return { document, responseKey: unchanged };

  let suffix = '__as';
  while ([...aliases].some((alias) => alias.endsWith(suffix))) suffix += '_';
  const renamed: DocumentNode = visit(document, {
    Field: (field) =>
      isReserved(field) ? { ...field, alias: { kind: Kind.NAME, value: field.alias!.value + suffix } } : undefined,
  });
  return { document: renamed, responseKey: (key) => (key.endsWith(suffix) ? key.slice(0, -suffix.length) : key) };
}

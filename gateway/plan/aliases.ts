import type { DocumentNode, FieldNode } from 'graphql';
import { Kind, visit } from 'graphql';

/** An operation whose keys cannot be taken for what a plan fetches for itself. */
export interface Unmistakable {
  readonly document: DocumentNode;
  /** The key of the response for a key of the data. */
  told(key: string): string;
}

const asIs = (key: string): string => key;

/**
 * The planner adds keys and required fields under their own names, also where the caller gave that name to another field:
 * `{ id: name price }` would send the name as the id. Such aliases get another name on their way, and their own in the response.
 */
export function unmistakable(document: DocumentNode, reserved: ReadonlySet<string>): Unmistakable {
  const aliases = new Set<string>();
  let clashes = false;
  const isMistakable = ({ name, alias }: FieldNode) =>
    alias !== undefined && alias.value !== name.value && reserved.has(alias.value);
  visit(document, {
    Field(field) {
      aliases.add((field.alias ?? field.name).value);
      clashes ||= isMistakable(field);
    },
  });
  if (!clashes) return { document, told: asIs };

  let ending = '__as';
  while ([...aliases].some((alias) => alias.endsWith(ending))) ending += '_';
  const renamed: DocumentNode = visit(document, {
    Field: (field) =>
      isMistakable(field) ? { ...field, alias: { kind: Kind.NAME, value: field.alias!.value + ending } } : undefined,
  });
  return { document: renamed, told: (key) => (key.endsWith(ending) ? key.slice(0, -ending.length) : key) };
}

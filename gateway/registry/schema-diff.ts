import diffModule from '@jest/diff-sequences';
import { type DefinitionNode, type DocumentNode, type GraphQLSchema, Kind, parse, specifiedScalarTypes, visit } from 'graphql';
import { type SchemaChange, schemaChanges } from '../usage/schema-changes.ts';
import { schemaOf } from '../usage/schema-check.ts';
import type { Registry } from './registry-database.ts';

/** The types are those of CommonJS, but Node imports the function itself. */
const diffSequences = diffModule as unknown as typeof diffModule.default;

/** The differences between two schemas. */
export interface SchemaDiff {
  /** Of the shown definitions. */
  readonly changes: readonly SchemaChange[];
  /** The changed definitions as a unified diff, each below its name. */
  readonly text: string;
  /** The number of changed definitions beyond the limits, of which neither changes nor text are known. */
  readonly others: number;
}

/** A definition that two schemas do not share, as SDL. */
interface ChangedDefinition {
  readonly name: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Characters and lines of the definitions that are compared, because a comparison blocks the process. */
const MAX_CHARACTERS = 200_000;
const MAX_LINES = 6_000;
/** Lines that are shown around a change. */
const CONTEXT = 3;

/** The versions have their definitions by name, so unchanged ones need not be read. */
const CHANGED = `
  with one as (select d.* from registry.publications cross join jsonb_each_text(api) d where version = $1),
       other as (select d.* from registry.publications cross join jsonb_each_text(api) d where version = $2)
  select key as name, one.value as before, other.value as after from one full join other using (key)
   where one.value is distinct from other.value order by key collate "C"`;

/** Compare two published versions. Undefined unless both exist. */
export async function diffPublished(registry: Registry, from: number, to: number): Promise<SchemaDiff | undefined> {
  const versions = [...new Set([from, to])];
  const { rowCount } = await registry.query('select from registry.publications where version = any($1)', [versions]);
  if (rowCount < versions.length) return undefined;
  return diffDefinitions((await registry.query<ChangedDefinition>(CHANGED, [from, to])).rows);
}

/** The definitions of a schema by name, as SDL. */
export function definitionsIn(sdl: string): Record<string, string> {
  return Object.fromEntries(
    parse(sdl).definitions.map((definition) => [nameOf(definition), sdl.slice(definition.loc!.start, definition.loc!.end)]),
  );
}

function nameOf(definition: DefinitionNode): string {
  const name = 'name' in definition && definition.name ? definition.name.value : 'schema { }';
  return definition.kind === Kind.DIRECTIVE_DEFINITION ? `@${name}` : name;
}

export function diffDefinitions(all: readonly ChangedDefinition[]): SchemaDiff {
  const shown = withinLimits(all);
  const parts = shown.map(({ name, before, after }) => `@@ ${name} @@\n${diffLines(linesOf(before), linesOf(after)).join('\n')}\n`);
  const [before, after] = schemasOf(shown);
  return { changes: schemaChanges(before, after), text: parts.join(''), others: all.length - shown.length };
}

function withinLimits(all: readonly ChangedDefinition[]): ChangedDefinition[] {
  let [characters, lines] = [0, 0];
  return all.filter(({ before, after }) => {
    const texts = [before ?? '', after ?? ''];
    const [itsCharacters, itsLines] = [sum(texts.map(({ length }) => length)), sum(texts.map((text) => linesOf(text).length))];
    if (characters + itsCharacters > MAX_CHARACTERS || lines + itsLines > MAX_LINES) return false;
    characters += itsCharacters;
    lines += itsLines;
    return true;
  });
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/** Schemas of the changed definitions alone. Other types that they name have a placeholder in both. */
function schemasOf(changed: readonly ChangedDefinition[]): [GraphQLSchema, GraphQLSchema] {
  const texts = [changed.map(({ before }) => before ?? ''), changed.map(({ after }) => after ?? '')].map((each) =>
    each.join('\n\n'),
  );
  const known = new Set([...changed.map(({ name }) => name), ...specifiedScalarTypes.map(({ name }) => name)]);
  const objects = new Set<string>();
  const named = new Set<string>();
  for (const text of texts) if (text.trim() !== '') collectNames(parse(text, { noLocation: true }), named, objects);
  const placeholders = [...named]
    .filter((name) => !known.has(name))
    .map((name) => (objects.has(name) ? `type ${name} { _: Int }` : `scalar ${name}`))
    .join('\n');
  // An empty document is not GraphQL.
  const [before = '', after = ''] = texts.map((text) => `scalar Placeholder\n${text}\n${placeholders}`);
  return [schemaOf(before), schemaOf(after)];
}

/** The types that definitions name; `objects` are the interfaces and the members of unions among them. */
function collectNames(document: DocumentNode, named: Set<string>, objects: Set<string>): void {
  const hasObjects = (node: {
    interfaces?: readonly { name: { value: string } }[];
    types?: readonly { name: { value: string } }[];
  }) => {
    for (const { name } of [...(node.interfaces ?? []), ...(node.types ?? [])]) objects.add(name.value);
  };
  visit(document, {
    NamedType: ({ name }) => void named.add(name.value),
    ObjectTypeDefinition: (node) => hasObjects(node),
    InterfaceTypeDefinition: (node) => hasObjects(node),
    UnionTypeDefinition: (node) => hasObjects(node),
  });
}

const linesOf = (text: string | null): string[] => (text ? text.split('\n') : []);

function diffLines(old: readonly string[], now: readonly string[]): string[] {
  const lines: string[] = [];
  let [oldAt, nowAt] = [0, 0];
  const addChanged = (oldEnd: number, nowEnd: number) => {
    for (; oldAt < oldEnd; oldAt++) lines.push(`-${old[oldAt]}`);
    for (; nowAt < nowEnd; nowAt++) lines.push(`+${now[nowAt]}`);
  };
  diffSequences(
    old.length,
    now.length,
    (one, other) => old[one] === now[other],
    (length, oldStart, nowStart) => {
      addChanged(oldStart, nowStart);
      for (let count = 0; count < length; count++, oldAt++, nowAt++) lines.push(` ${old[oldAt]}`);
    },
  );
  addChanged(old.length, now.length);
  return withContext(lines);
}

/** Leaves out lines that are far from a change. */
function withContext(lines: readonly string[]): string[] {
  const isShown = new Array<boolean>(lines.length).fill(false);
  lines.forEach((line, at) => {
    if (!line.startsWith(' ')) isShown.fill(true, Math.max(0, at - CONTEXT), at + CONTEXT + 1);
  });
  return lines.flatMap((line, at) => {
    if (isShown[at]) return [line];
    return at === 0 || isShown[at - 1] ? [' …'] : [];
  });
}

import diffModule from '@jest/diff-sequences';
import { type DefinitionNode, Kind, parse } from 'graphql';
import { type SchemaChange, schemaChanges } from '../usage/schema-changes.ts';
import { schemaOf } from '../usage/schema-check.ts';

/** The types are those of CommonJS, but Node imports the function itself. */
const diffSequences = diffModule as unknown as typeof diffModule.default;

/** The differences between two schemas. */
export interface SchemaDiff {
  readonly changes: readonly SchemaChange[];
  /** The changed definitions as a unified diff, each below its name; cut if it is too long. */
  readonly text: string;
}

/** Bounds of what is computed and shown for two schemas. */
const MAX_CHANGES = 2_000;
const MAX_TEXT = 500_000;
/** Lines of one definition before and after. Of longer ones, all lines are shown as removed and added. */
const MAX_LINES = 10_000;
/** Lines that are shown around a change. */
const CONTEXT = 3;

/** Compare the SDL of two API schemas. */
export function diffSchemas(before: string, after: string): SchemaDiff {
  const changes = schemaChanges(schemaOf(before), schemaOf(after)).slice(0, MAX_CHANGES);
  return { changes, text: diffDefinitions(before, after) };
}

function diffDefinitions(before: string, after: string): string {
  const [old, now] = [definitionsIn(before), definitionsIn(after)];
  const names = [...new Set([...old.keys(), ...now.keys()])].sort();
  let text = '';
  for (const name of names) {
    const [one = '', other = ''] = [old.get(name), now.get(name)];
    if (one === other) continue;
    text += `@@ ${name} @@\n${diffLines(linesOf(one), linesOf(other)).join('\n')}\n`;
    if (text.length > MAX_TEXT) return `${text.slice(0, MAX_TEXT)}\n…\n`.toWellFormed();
  }
  return text;
}

/** The texts of the definitions by their names. Definitions do not depend on their order, so each is compared by itself. */
function definitionsIn(sdl: string): Map<string, string> {
  return new Map(
    parse(sdl).definitions.map((definition) => [nameOf(definition), sdl.slice(definition.loc!.start, definition.loc!.end)]),
  );
}

function nameOf(definition: DefinitionNode): string {
  const name = 'name' in definition && definition.name ? definition.name.value : 'schema';
  return definition.kind === Kind.DIRECTIVE_DEFINITION ? `@${name}` : name;
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.split('\n'));

function diffLines(old: readonly string[], now: readonly string[]): string[] {
  const lines: string[] = [];
  let [oldAt, nowAt] = [0, 0];
  const addChanged = (oldEnd: number, nowEnd: number) => {
    for (; oldAt < oldEnd; oldAt++) lines.push(`-${old[oldAt]}`);
    for (; nowAt < nowEnd; nowAt++) lines.push(`+${now[nowAt]}`);
  };
  if (old.length + now.length <= MAX_LINES) {
    diffSequences(
      old.length,
      now.length,
      (one, other) => old[one] === now[other],
      (length, oldStart, nowStart) => {
        addChanged(oldStart, nowStart);
        for (let count = 0; count < length; count++, oldAt++, nowAt++) lines.push(` ${old[oldAt]}`);
      },
    );
  }
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

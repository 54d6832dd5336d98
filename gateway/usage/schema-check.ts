import { buildSchema, type DocumentNode, type GraphQLSchema, parse, validate } from 'graphql';
import { type BreakingChange, breakingChanges } from './breaking-changes.ts';

/** An operation that clients really sent. */
export interface RecordedOperation {
  readonly hash: string;
  readonly name: string;
  readonly label: string;
  /** Empty if it was not kept. Then only its coordinates tell what it uses. */
  readonly text: string;
  /** All parts of the schema that it used, also those in variables. */
  readonly coordinates: readonly string[];
  readonly requests: number;
  readonly clients: readonly string[];
}

export interface JudgedChange extends BreakingChange {
  /** `safe` if nothing that was recorded uses the part, `unknown` if the records cannot tell. */
  readonly verdict: 'safe' | 'breaks' | 'unknown';
  readonly operations: readonly RecordedOperation[];
}

export interface SchemaCheck {
  readonly verdict: JudgedChange['verdict'];
  readonly changes: readonly JudgedChange[];
  /** Operations that were valid and no longer are, with the reasons. */
  readonly invalid: readonly { readonly operation: RecordedOperation; readonly errors: readonly string[] }[];
  /** The number of recorded operations. */
  readonly recorded: number;
}

/** Judge the breaking changes between two schemas by the operations that were recorded. Without any, nothing is known to be safe. */
export function checkSchema(before: GraphQLSchema, after: GraphQLSchema, recorded: readonly RecordedOperation[]): SchemaCheck {
  const users = usersByCoordinate(recorded);
  const documents = new Map(recorded.map((operation) => [operation, documentOf(operation)]));
  // Nothing is known to be safe while some operation may use anything.
  const isComplete = recorded.length > 0 && recorded.every((each) => documents.get(each) || each.coordinates.length > 0);
  const changes = breakingChanges(before, after).map((change): JudgedChange => {
    const operations = affected(change, users) ?? [];
    if (operations.length > 0) return { ...change, verdict: 'breaks', operations };
    return { ...change, verdict: change.affects && isComplete ? 'safe' : 'unknown', operations };
  });
  const invalid = recorded.flatMap((operation) => {
    const document = documents.get(operation);
    const errors = document ? validate(after, document) : [];
    // An operation that an earlier version broke may still be in the records.
    if (errors.length === 0 || validate(before, document!).length > 0) return [];
    return [{ operation, errors: errors.map(({ message }) => message) }];
  });
  const verdicts = new Set(changes.map(({ verdict }) => verdict));
  const verdict = verdicts.has('breaks') || invalid.length > 0 ? 'breaks' : verdicts.has('unknown') ? 'unknown' : 'safe';
  return { verdict, changes, invalid, recorded: recorded.length };
}

type Users = ReadonlyMap<string, ReadonlySet<RecordedOperation>>;

/** The operations by each part that they use, and by `Type.*`. */
function usersByCoordinate(recorded: readonly RecordedOperation[]): Users {
  const users = new Map<string, Set<RecordedOperation>>();
  const add = (coordinate: string, operation: RecordedOperation) => {
    const known = users.get(coordinate);
    if (known) known.add(operation);
    else users.set(coordinate, new Set([operation]));
  };
  for (const operation of recorded) {
    for (const each of operation.coordinates) {
      add(each, operation);
      const dot = each.indexOf('.');
      if (dot > 0) add(`${each.slice(0, dot)}.*`, operation);
    }
  }
  return users;
}

const affected = ({ affects }: BreakingChange, users: Users): RecordedOperation[] | undefined =>
  affects &&
  [...new Set(affects.flatMap((each) => [...(users.get(each) ?? [])]))].sort((one, other) => other.requests - one.requests);

/** Undefined for an operation whose text was not kept, or is not GraphQL. */
function documentOf({ text }: RecordedOperation): DocumentNode | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** Build a schema for callers from its SDL. */
export const schemaOf = (sdl: string): GraphQLSchema => buildSchema(sdl, { assumeValidSDL: true });

const MAX_LISTED = 20;

/** The check as a comment for a pull request. */
export function reportOf({ verdict, changes, invalid, recorded }: SchemaCheck, days: number): string {
  const summary = {
    safe: changes.length === 0 ? 'No breaking changes.' : 'No recorded operation uses what changes.',
    breaks: 'This change breaks operations that clients send.',
    unknown: 'The records do not tell whether this change is safe.',
  }[verdict];
  const lines = ['## Schema check', '', `**${summary}** ${recorded} operations were recorded in the last ${days} days.`];
  for (const [title, wanted] of [
    ['Breaks', 'breaks'],
    ['Unknown', 'unknown'],
    ['Safe', 'safe'],
  ] as const) {
    const of = changes.filter((each) => each.verdict === wanted);
    if (of.length === 0) continue;
    lines.push('', `### ${title} (${of.length})`, '');
    for (const { message, operations } of of) {
      lines.push(`- ${message}`);
      for (const each of operations.slice(0, MAX_LISTED)) lines.push(`  - ${lineOf(each)}`);
      if (operations.length > MAX_LISTED) lines.push(`  - and ${operations.length - MAX_LISTED} more operations`);
    }
  }
  const others = invalid.filter(({ operation }) => !changes.some(({ operations }) => operations.includes(operation)));
  if (others.length > 0) lines.push('', `### No longer valid (${others.length})`, '');
  for (const { operation, errors } of others.slice(0, MAX_LISTED)) lines.push(`- ${lineOf(operation)}: ${errors[0]}`);
  return `${lines.join('\n')}\n`;
}

function lineOf({ hash, name, label, requests, clients }: RecordedOperation): string {
  const title = hash === '*' ? 'other operations' : `\`${label || name || hash}\``;
  const shown = clients.map((client) => (client === '' ? 'unnamed' : `\`${client.replaceAll('`', "'")}\``)).join(', ');
  return `${title}: ${requests} requests of ${shown}`;
}

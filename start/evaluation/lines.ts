import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { isObject } from '../../schema/json.ts';

/** One text of an annotated file with its expected values. */
export interface AnnotatedText {
  /** Line number in the file, from 1. */
  number: number;
  input: string;
  category: string;
  /** Correct values by attribute; an empty list means that the text has no value. */
  expected: Record<string, string[]>;
}

/** The definition of an attribute in a line `{"attributes": {"Color": {"description": "…", "examples": ["Navy"]}}}`. */
export interface Definition {
  description?: string;
  examples?: string[];
}

export interface AnnotatedFile {
  lines: AnnotatedText[];
  /** By attribute name. */
  definitions: Record<string, Definition>;
}

const ABSENT = 'n/a';

/**
 * Read a JSONL file. A limit takes the first lines of each category, evenly distributed. Throws an error that names the first
 * malformed line.
 */
export async function readLines(path: string, limit = Number.POSITIVE_INFINITY): Promise<AnnotatedFile> {
  const lines: AnnotatedText[] = [];
  const definitions: AnnotatedFile['definitions'] = {};
  let number = 0;
  for await (const text of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    const place = `${path}:${number}`;
    if (text.trim() === '') continue;
    const defined = readDefinitions(text, place);
    if (defined) Object.assign(definitions, defined);
    else lines.push({ number, ...readLine(text, place) });
  }
  if (lines.length === 0) throw new Error(`${path} has no lines`);
  return { lines: evenly(lines, limit), definitions };
}

/** Take the first line of each category, then the second of each, up to the limit. Keeps the order of the file. */
function evenly(lines: readonly AnnotatedText[], limit: number): AnnotatedText[] {
  const turns = [...Map.groupBy(lines, ({ category }) => category).values()].flatMap((own) =>
    own.map((line, turn) => ({ line, turn })),
  );
  const chosen = turns.sort((a, b) => a.turn - b.turn || a.line.number - b.line.number).slice(0, limit);
  return chosen.map(({ line }) => line).sort((a, b) => a.number - b.number);
}

function readDefinitions(text: string, place: string): AnnotatedFile['definitions'] | undefined {
  const { attributes, input } = parse(text, place);
  if (!isObject(attributes) || input !== undefined) return undefined;
  const defined = Object.entries(attributes).map(([name, given]): [string, Definition] => {
    const { description, examples } = isObject(given) ? given : {};
    if (description !== undefined && typeof description !== 'string')
      throw new Error(`${place}: the description of "${name}" must be text`);
    if (examples !== undefined && !(Array.isArray(examples) && examples.every((each) => typeof each === 'string')))
      throw new Error(`${place}: the examples of "${name}" must be a list of texts`);
    return [name, { description, examples: examples as string[] | undefined }];
  });
  return Object.fromEntries(defined);
}

export function readLine(text: string, place: string): Omit<AnnotatedText, 'number'> {
  const { input, category, target_scores: scores } = parse(text, place);
  if (typeof input !== 'string' || input.trim() === '') throw new Error(`${place}: "input" must be text`);
  if (typeof category !== 'string' || category === '') throw new Error(`${place}: "category" must be text`);
  if (!isObject(scores)) throw new Error(`${place}: "target_scores" must map attributes to values`);
  const expected = Object.entries(scores).map(([attribute, values]): [string, string[]] => {
    if (!isObject(values)) throw new Error(`${place}: "${attribute}" must map values to scores`);
    const right = Object.entries(values).flatMap(([value, score]) => (Number(score) > 0 && value !== ABSENT ? [value] : []));
    return [attribute, right];
  });
  return { input, category, expected: Object.fromEntries(expected) };
}

function parse(text: string, place: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Reported below, like any other JSON that is not an object.
  }
  throw new Error(`${place}: not a JSON object`);
}

/** Split lines by a hash of their text, so that the parts do not depend on their order. */
export function splitLines(lines: readonly AnnotatedText[], share: number): { chosen: AnnotatedText[]; rest: AnnotatedText[] } {
  const isChosen = ({ input }: AnnotatedText) => createHash('sha256').update(input).digest().readUInt16BE(4) < share * 2 ** 16;
  return { chosen: lines.filter(isChosen), rest: lines.filter((line) => !isChosen(line)) };
}

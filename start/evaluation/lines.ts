import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { isObject } from '../../schema/json.ts';

/** One text of an annotated file with its expected values. */
export interface Line {
  /** Line number in the file, from 1. */
  number: number;
  input: string;
  category: string;
  /** Correct values by attribute; an empty list means that the text has no value. */
  expected: Record<string, string[]>;
}

const ABSENT = 'n/a';

/**
 * Read a JSONL file. A limit takes the first lines of each category, evenly distributed. Throws an error that names the first
 * malformed line.
 */
export async function readLines(path: string, limit = Number.POSITIVE_INFINITY): Promise<Line[]> {
  const lines: Line[] = [];
  let number = 0;
  for await (const text of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    if (text.trim() !== '') lines.push({ number, ...readLine(text, `${path}:${number}`) });
  }
  if (lines.length === 0) throw new Error(`${path} has no lines`);
  return evenly(lines, limit);
}

/** Take the first line of each category, then the second of each, up to the limit. Keeps the order of the file. */
function evenly(lines: readonly Line[], limit: number): Line[] {
  const turns = [...Map.groupBy(lines, ({ category }) => category).values()].flatMap((own) =>
    own.map((line, turn) => ({ line, turn })),
  );
  const chosen = turns.sort((a, b) => a.turn - b.turn || a.line.number - b.line.number).slice(0, limit);
  return chosen.map(({ line }) => line).sort((a, b) => a.number - b.number);
}

export function readLine(text: string, place: string): Omit<Line, 'number'> {
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

import { parse } from 'csv-parse/sync';
import { checkLimits } from '../../../platform/fields/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { type EnumValue, enums } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import { isObject, type JsonObject } from '../../../schema/json.ts';
import { isStorable } from '../../../schema/text.ts';
import { NewSimulatedCustomer, NewTestCheck, NewTestIdentity, NewTestRecording } from './case-parts.ts';
import { isKind } from './checks.ts';
import { type ImportedTestCases, NewTestCase } from './entity.ts';
import { addCases, MAX_CASES, type OwnedCase } from './service.ts';

const MAX_TEXT = 1_000_000;
const MAX_REFUSED = 50;
const MAX_DEPTH = 64;
/** Lines of a cell. The limits of a case are lower, and are checked for each line. */
const MAX_LINES = 100;

/** Adds the cases of a file. Rows that are no valid case are refused, and the others are added. Throws `INVALID_INPUT` for another file. */
export async function importCases(
  scope: RequestScope,
  testSetId: string,
  format: EnumValue<'TestFileFormat'>,
  text: string,
): Promise<ImportedTestCases> {
  if (text.length > MAX_TEXT) throw fail('INVALID_INPUT', `text must be at most ${MAX_TEXT} characters`);
  const isJson = format === 'json';
  const rows = isJson ? readJson(text) : readCsv(text);
  if (rows.length > MAX_CASES) throw fail('INVALID_INPUT', `A file can have at most ${MAX_CASES} cases.`);
  const cases: OwnedCase[] = [];
  const refused: ImportedTestCases['refused'] = [];
  for (const [index, row] of rows.entries()) {
    try {
      const input = readCase(requireStorable(isJson ? row : fromCells(row as Record<string, string>)));
      cases.push({ ...input, origin: 'file', messageId: null, contactId: null });
    } catch (error) {
      refused.push({ row: index + 1, reason: (error as Error).message });
    }
  }
  await scope.write((inner) => addCases(inner, testSetId, cases));
  return { added: cases.length, refused: refused.slice(0, MAX_REFUSED) };
}

function readJson(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value;
  } catch {
    // The same message.
  }
  throw fail('INVALID_INPUT', 'text must be a JSON list of cases');
}

/** JSON in a text has not passed the checks of variables: its depth, characters that cannot be stored, and numbers that are rounded. */
function requireStorable<T>(value: T, depth = 0): T {
  if (depth > MAX_DEPTH) throw fail('INVALID_INPUT', `a case must not be nested deeper than ${MAX_DEPTH} levels`);
  if (typeof value === 'string' && !isStorable(value))
    throw fail('INVALID_INPUT', 'texts must be well-formed Unicode without NUL characters');
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value))
    throw fail('INVALID_INPUT', `whole numbers must be between -${Number.MAX_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`);
  if (Array.isArray(value)) for (const each of value) requireStorable(each, depth + 1);
  else if (isObject(value))
    for (const [key, each] of Object.entries(value)) {
      requireStorable(key, depth + 1);
      requireStorable(each, depth + 1);
    }
  return value;
}

function readCsv(text: string): Record<string, string>[] {
  try {
    const delimiter = text.slice(0, text.indexOf('\n') >>> 0).includes(';') ? ';' : ',';
    return parse(text, {
      columns: (names: string[]) => names.map((name) => name.trim()),
      bom: true,
      delimiter,
      skip_empty_lines: true,
      trim: true,
      to: MAX_CASES + 1,
    });
  } catch (error) {
    throw fail('INVALID_INPUT', `text must be CSV with a header: ${(error as Error).message}`);
  }
}

/** A number with a unit, such as `24 months`. */
const MEASURE = /^(-?\d+(?:\.\d+)?)\s?(\p{L}[^\s]{0,20}|[%€$£])$/u;

/** A case from the cells of a row. Each line of the cell of a check is a check. */
function fromCells({ name, message, expectation, ...cells }: Record<string, string>): JsonObject {
  const lines = (text = '') => {
    const all = text
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean);
    if (all.length > MAX_LINES) throw fail('INVALID_INPUT', `a cell must have at most ${MAX_LINES} lines`);
    return all;
  };
  const messages = lines(message);
  const checks = Object.entries(cells).flatMap(([column, cell]) => {
    if (cell === '') return [];
    if (!isKind(column))
      throw fail(
        'INVALID_INPUT',
        `${column} is no column: use name, message, expectation or ${enums.TestCheckKind.values.join(', ')}`,
      );
    return lines(cell).map((line) => checkFrom(column, line));
  });
  return { name: name || messages[0]?.slice(0, 200), messages, checks, expectation: expectation || null };
}

function checkFrom(kind: EnumValue<'TestCheckKind'>, cell: string): JsonObject {
  const measure = kind === 'states' || kind === 'omits' ? MEASURE.exec(cell) : null;
  if (measure) return { kind, number: Number(measure[1]), unit: measure[2] };
  switch (kind) {
    case 'calls': {
      const [tool, ...rest] = cell.split(' ');
      return { kind, tool, ...(rest.length > 0 && { arguments: JSON.parse(rest.join(' ')) }) };
    }
    case 'not_calls':
    case 'asks_approval':
      return { kind, ...(/^(yes|true|any|x|1)$/i.test(cell) ? {} : { tool: cell }) };
    case 'seconds':
    case 'credits':
      return { kind, number: Number(cell) };
    case 'hands_over':
    case 'answers':
    case 'declines':
      return { kind };
    default:
      return { kind, text: cell };
  }
}

/** A valid case from JSON that somebody wrote. Throws with the fault. */
function readCase(row: unknown): NewTestCase {
  const { name, messages, customer, identity, checks, recordings, expectation } = objectOf(row, 'a case');
  const input = Object.assign(new NewTestCase(), {
    name: textOf(name, 'name'),
    messages: listOf(messages ?? [], 'messages', 10).map((each) => textOf(each, 'a message')),
    customer: customer == null ? null : readCustomer(objectOf(customer, 'customer')),
    identity: identity == null ? null : readIdentity(objectOf(identity, 'identity')),
    checks: listOf(checks, 'checks', 50).map((each) => readCheck(objectOf(each, 'a check'))),
    recordings: listOf(recordings ?? [], 'recordings', 50).map((each) => readRecording(objectOf(each, 'a recording'))),
    expectation: textOrNull(expectation, 'expectation'),
  });
  checkLimits(input);
  return input;
}

function readCheck({ kind, text, number, unit, tool, arguments: given }: JsonObject): NewTestCheck {
  if (typeof kind !== 'string' || !isKind(kind))
    throw fail('INVALID_INPUT', `kind must be one of ${enums.TestCheckKind.values.join(', ')}`);
  if (number != null && typeof number !== 'number') throw fail('INVALID_INPUT', 'number must be a number');
  return Object.assign(new NewTestCheck(), {
    kind,
    text: textOrNull(text, 'text'),
    number,
    unit: textOrNull(unit, 'unit'),
    tool: textOrNull(tool, 'tool'),
    arguments: given == null ? null : objectOf(given, 'arguments'),
  });
}

const readRecording = ({ tool, arguments: given, output, error }: JsonObject): NewTestRecording =>
  Object.assign(new NewTestRecording(), {
    tool: textOf(tool, 'the tool of a recording'),
    arguments: given == null ? null : objectOf(given, 'arguments'),
    output,
    error: textOrNull(error, 'error'),
  });

function readCustomer({ goal, manner, maxMessages = 5 }: JsonObject): NewSimulatedCustomer {
  if (!Number.isInteger(maxMessages)) throw fail('INVALID_INPUT', 'maxMessages must be a whole number');
  return Object.assign(new NewSimulatedCustomer(), {
    goal: textOf(goal, 'the goal of a customer'),
    manner: textOrNull(manner, 'manner'),
    maxMessages,
  });
}

const readIdentity = ({ subject, email, name, claims }: JsonObject): NewTestIdentity =>
  Object.assign(new NewTestIdentity(), {
    subject: textOf(subject, 'the subject of an identity'),
    email: textOrNull(email, 'email'),
    name: textOrNull(name, 'name'),
    claims: claims == null ? null : objectOf(claims, 'claims'),
  });

function textOf(value: unknown, what: string): string {
  if (typeof value !== 'string') throw fail('INVALID_INPUT', `${what} must be a text`);
  return value;
}

const textOrNull = (value: unknown, what: string): string | null => (value == null ? null : textOf(value, what));

function objectOf(value: unknown, what: string): JsonObject {
  if (!isObject(value)) throw fail('INVALID_INPUT', `${what} must be an object`);
  return value;
}

/** Checked before the entries, because each of them costs time. */
function listOf(value: unknown, what: string, most: number): unknown[] {
  if (!Array.isArray(value)) throw fail('INVALID_INPUT', `${what} must be a list`);
  if (value.length > most) throw fail('INVALID_INPUT', `${what} must have at most ${most} entries`);
  return value;
}

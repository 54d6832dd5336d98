import { type FilterFunction, FunctionExpressionType, JSONPathEnvironment, type JSONPathQuery, type JSONValue } from 'json-p3';
import { DeadlineExceeded, withDeadline } from '../../common/deadline.ts';
import type { Masker } from './masking.ts';
import { linearPattern } from './patterns.ts';
import { ToolFault } from './templates.ts';
import type { NewResponseMapping, ResponseMapping } from './types.ts';

export const TRUNCATE_CHARS = 8_000;
/** Milliseconds to mask and map one response. */
const TIME = 500;

/** Yields the faults of a response mapping. */
export function* mappingFaults({ kind, path }: NewResponseMapping): Generator<string> {
  if (kind === 'raw') return;
  if (!path) return yield 'responseMapping.path is required with the kind jsonpath';
  try {
    compilePath(path);
  } catch (error) {
    yield `responseMapping.path is no JSONPath: ${(error as Error).message.slice(0, 200)}`;
  }
}

/** The pattern functions of RFC 9535 on an engine that runs in linear time; those of the library do not. */
const patternFunction = (matches: (pattern: ReturnType<typeof linearPattern>, text: string) => boolean): FilterFunction => {
  let last: { source: string; pattern: ReturnType<typeof linearPattern> | undefined } | undefined;
  return {
    argTypes: [FunctionExpressionType.ValueType, FunctionExpressionType.ValueType],
    returnType: FunctionExpressionType.LogicalType,
    call(text: unknown, source: unknown) {
      if (typeof text !== 'string' || typeof source !== 'string') return false;
      if (last?.source !== source) last = { source, pattern: compiled(source) };
      return last.pattern !== undefined && matches(last.pattern, text);
    },
  };
};

/** The standard evaluates an invalid pattern to false. */
function compiled(source: string) {
  try {
    return linearPattern(source);
  } catch {
    return undefined;
  }
}

const environment = new JSONPathEnvironment();
environment.functionRegister.set(
  'match',
  patternFunction((pattern, text) => pattern.matcher(text).matches()),
);
environment.functionRegister.set(
  'search',
  patternFunction((pattern, text) => pattern.matcher(text).find()),
);

const compilePath = (path: string): JSONPathQuery => withDeadline(TIME, () => environment.compile(path));

interface Mapped {
  /** The start of the masked text. */
  snippet: string;
  result: unknown;
  truncated: boolean;
}

/** Mask the text of a response and map it to a result. Throws `ToolFault`. */
export function mapResponse({ kind, path, truncateChars }: ResponseMapping, text: string, masker: Masker): Mapped {
  try {
    return withDeadline(TIME, () => {
      const [snippet, isCut] = cut(masker.mask(text), truncateChars);
      if (kind === 'raw') return { snippet, result: snippet, truncated: isCut };
      const value = masker.maskValue(select(path ?? '$', text));
      const [start, isTooLong] = cut(JSON.stringify(value), truncateChars);
      return { snippet, result: isTooLong ? start : value, truncated: isCut || isTooLong };
    });
  } catch (error) {
    if (error instanceof ToolFault) throw error;
    throw new ToolFault(
      error instanceof DeadlineExceeded ? 'The response took too long to process.' : 'The response could not be processed.',
    );
  }
}

/** The start of the masked text. */
export const maskedStart = (text: string, masker: Masker, length: number): string =>
  mapResponse({ kind: 'raw', truncateChars: length }, text, masker).snippet;

/** The value of a path that selects at most one, else the list of its values; null without a match. */
function select(path: string, text: string): unknown {
  const query = environment.compile(path);
  const values = query.query(parse(text)).values();
  if (values.length === 0) return null;
  return query.singularQuery() ? values[0] : values;
}

function parse(text: string): JSONValue {
  try {
    return JSON.parse(text) as JSONValue;
  } catch {
    throw new ToolFault('The response is not JSON.');
  }
}

function cut(text: string, length: number): [start: string, isCut: boolean] {
  if (text.length <= length) return [text, false];
  // Never split a pair of surrogates.
  return [text.slice(0, length).replace(/[\ud800-\udbff]$/, ''), true];
}

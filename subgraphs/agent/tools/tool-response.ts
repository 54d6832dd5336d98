import { type FilterFunction, FunctionExpressionType, JSONPathEnvironment, type JSONPathQuery, type JSONValue } from 'json-p3';
import { parseExactly } from '../../../schema/json.ts';
import { truncate } from '../../../schema/text.ts';
import type { NewResponseMapping, ResponseMapping } from './entity.ts';
import { linearPattern, Masker } from './masking.ts';
import { ToolFault } from './templates.ts';

export const TRUNCATE_CHARS = 8_000;
/** Characters of a failed response that the model sees. */
const EXCERPT = 500;

/** Yields the faults of a response mapping. */
export function* mappingFaults({ kind, path }: NewResponseMapping): Generator<string> {
  if (kind === 'raw') return;
  if (!path) return yield 'responseMapping.path is required with the kind jsonpath';
  try {
    compilePath(path);
  } catch (error) {
    yield `responseMapping.path is no JSONPath: ${truncate((error as Error).message, 200)}`;
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

const compilePath = (path: string): JSONPathQuery => environment.compile(path);

/** A masked response. */
export interface Mapped {
  /** The start of the text. */
  snippet: string;
  /** A shorter start, for error messages. */
  excerpt: string;
  result: unknown;
  truncated: boolean;
}

interface Received {
  mapping: ResponseMapping;
  text: string;
  secrets: readonly string[];
}

/** Mask the text of a response and map it to a result. Throws `ToolFault`. May take long for a hostile path or text. */
export function mapResponse({ mapping: { kind, path, truncateChars }, text, secrets }: Received): Mapped {
  const masker = new Masker(secrets);
  const [snippet, isCut] = maskStart(masker, text, truncateChars);
  const [excerpt] = cut(snippet.trim(), EXCERPT);
  if (kind === 'raw') return { snippet, excerpt, result: snippet, truncated: isCut };
  const value = select(path ?? '$', text);
  const json = stringify(value);
  if (json.length <= truncateChars) return { snippet, excerpt, result: masker.maskValue(value), truncated: isCut };
  return { snippet, excerpt, result: maskStart(masker, json, truncateChars)[0], truncated: true };
}

/** Mask the start of a text, without the cost of masking the rest. */
function maskStart(masker: Masker, text: string, length: number): [start: string, isCut: boolean] {
  if (text.length <= length + masker.margin) return cut(masker.mask(text), length);
  const masked = masker.mask(truncate(text, length + masker.margin));
  // The end may contain the beginning of a secret that the slice cut off.
  return [truncate(masked, Math.max(0, Math.min(length, masked.length - masker.margin))), true];
}

/** Throws `ToolFault` for a value that is nested too deeply. */
export function stringify(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    throw new ToolFault('The response is nested too deeply.');
  }
}

/** The value of a path that selects at most one, else the list of its values; null without a match. */
function select(path: string, text: string): unknown {
  // A call without a result, such as one with status 204, has succeeded.
  if (text.trim() === '') return null;
  const query = environment.compile(path);
  const values = valuesOf(query, parse(text));
  if (values.length === 0) return null;
  return query.singularQuery() ? values[0] : values;
}

function valuesOf(query: JSONPathQuery, value: JSONValue): JSONValue[] {
  try {
    return query.query(value).values();
  } catch {
    throw new ToolFault('The path cannot be applied to the response.');
  }
}

function parse(text: string): JSONValue {
  try {
    return parseExactly(text) as JSONValue;
  } catch {
    throw new ToolFault('The response is not JSON.');
  }
}

function cut(text: string, length: number): [start: string, isCut: boolean] {
  return [truncate(text, length), text.length > length];
}

import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { isEncoded } from '../schema/content-encoding.ts';
import { fail } from '../schema/errors.ts';

const MAX_DEPTH = 64;
const [QUOTE, BACKSLASH, COLON, OPEN_LIST, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = Buffer.from('"\\:[]{}');

// Keep a byte order mark, so that the JSON parser rejects it.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Parse a request body. An empty body is an empty object, regardless of its content type. */
export function readBody(bytes: Buffer, contentType: string | undefined): unknown {
  if (bytes.length === 0) return {};
  if (contentType && !/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(contentType)) {
    throw fail('INVALID_INPUT', 'the content type must be application/json');
  }
  const text = decode(bytes);
  const { depth, members } = measure(text);
  // Check the depth before parsing, because later code is recursive.
  if (depth > MAX_DEPTH) throw fail('INVALID_INPUT', `the body is nested more than ${MAX_DEPTH} deep`);
  const value = parse(text);
  if (countKeys(value) !== members) throw fail('INVALID_INPUT', 'the body names a key twice in one object');
  return value;
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw fail('INVALID_INPUT', 'the body is not UTF-8 text');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw fail('INVALID_INPUT', 'the body is not valid JSON');
  }
}

/** Measure the depth of a JSON text and count the members of its objects, including duplicates. */
function measure(text: string): { depth: number; members: number } {
  let [members, depth, deepest] = [0, 0, 0];
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) at = endOfString(text, at + 1);
    else if (character === COLON) members++;
    else if (character === OPEN_MAP || character === OPEN_LIST) deepest = Math.max(deepest, ++depth);
    else if (character === CLOSE_MAP || character === CLOSE_LIST) depth--;
  }
  return { depth: deepest, members };
}

function endOfString(text: string, start: number): number {
  let at = start;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}

/** Count the keys of a parsed value. `JSON.parse` drops duplicate members, so a lower count than in the text reveals them. */
function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const children = Object.values(value);
  return children.reduce<number>((sum, child) => sum + countKeys(child), Array.isArray(value) ? 0 : children.length);
}

/** A `preParsing` hook that rejects compressed bodies. */
export async function refuseEncoded({ headers, raw }: FastifyRequest): Promise<void> {
  if (isEncoded(headers) && hasBody(raw)) throw fail('INVALID_INPUT', 'the body must not have a content encoding');
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

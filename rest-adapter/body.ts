import { fail } from '../schema/errors.ts';

const DEEPEST = 64;
const [QUOTE, BACKSLASH, COLON, OPEN_LIST, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = Buffer.from('"\\:[]{}');

// A byte order mark is kept, so that JSON refuses it.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The value of a request body. No bytes count as an empty object, whatever the content type says. */
export function readBody(bytes: Buffer, contentType: string | undefined): unknown {
  if (bytes.length === 0) return {};
  if (contentType && !/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(contentType)) {
    throw fail('INVALID_INPUT', 'the content type must be application/json');
  }
  const text = decode(bytes);
  const { depth, members } = survey(text);
  // Before parsing: what runs through a value later is recursive.
  if (depth > DEEPEST) throw fail('INVALID_INPUT', `the body is nested more than ${DEEPEST} deep`);
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

/** How deep a JSON text goes and how many members its objects have as written. */
function survey(text: string): { depth: number; members: number } {
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

/** JSON keeps the last of two members of one name, so a difference to the text tells of duplicates. */
function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const children = Object.values(value);
  return children.reduce<number>((sum, child) => sum + countKeys(child), Array.isArray(value) ? 0 : children.length);
}

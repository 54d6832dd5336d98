import { type Client, REST } from './usage-contract.ts';

const [MAX_CLIENT_NAME, MAX_VERSION] = [64, 32];

/** The header that names the program of a request, and the one with its version. Apollo's clients send both. */
export const CLIENT_HEADERS = ['apollographql-client-name', 'apollographql-client-version'] as const;

/** The client that a request names. Both texts may be anything, so they are cleaned and cut. Undefined without a usable name. */
export function clientOf(name: unknown, version?: unknown): Client | undefined {
  const clean = cleaned(name, MAX_CLIENT_NAME);
  return clean === '' || clean === REST ? undefined : { name: clean, version: cleaned(version, MAX_VERSION) };
}

/** Printable ASCII needs no cleaning. */
const plain = /^[!-~](?:[ -~]*[!-~])?$/;

/** A text of a caller in printable characters, cut at `length`. */
export function cleaned(text: unknown, length: number): string {
  if (typeof text !== 'string') return '';
  if (text.length <= length && plain.test(text)) return text;
  // Cut first, because the text may be long.
  const start = text
    .trimStart()
    .slice(0, 4 * length)
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim();
  return start.slice(0, length).toWellFormed().replaceAll('\uFFFD', '').trim();
}

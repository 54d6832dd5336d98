import type { DocumentNode } from 'graphql';
import { visit } from 'graphql';
import { fail } from '../errors.ts';

export const maxDepth = 64;
export const tooDeep = `must not be nested deeper than ${maxDepth} levels`;
/** Entries of a list. More than any limit of a list, but few enough that reading them does not block the process for long. */
export const maxEntries = 250_000;

/** The fault of a text that PostgreSQL or JSON cannot store (NUL, lone surrogates); undefined for a valid text. */
export function textFault(text: string): string | undefined {
  if (!text.isWellFormed()) return 'must be well-formed Unicode';
  if (text.includes('\0')) return 'must not contain NUL characters';
}

/** The fault of a number that JSON parsers would silently round; undefined for a valid number. */
export function numberFault(value: number): string | undefined {
  if (!Number.isFinite(value)) return 'must be a finite number';
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    return `must be between -${Number.MAX_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`;
}

/** A fault of a part of a JSON value. The path of the value itself is empty. */
interface PlacedFault {
  readonly path: string;
  readonly says: string;
}

/** The first fault of a JSON value, including its keys. */
export function valueFault(value: unknown, depth: number, path = ''): PlacedFault | undefined {
  if (typeof value === 'string') return placed(path, textFault(value));
  if (typeof value === 'number') return placed(path, numberFault(value));
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > maxDepth) return placed(path, tooDeep);

  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      const fault = valueFault(value[at], depth + 1, `${path}[${at}]`);
      if (fault) return fault;
    }
    return undefined;
  }
  if (!isPlain(value)) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const named = textFault(key);
    if (named) return placed(path, `has a key that ${named}`);
    const fault = valueFault(inner, depth + 1, path ? `${path}.${key}` : key);
    if (fault) return fault;
  }
}

const placed = (path: string, says: string | undefined): PlacedFault | undefined =>
  says === undefined ? undefined : { path, says };

/** Class instances are validated by their scalar. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** Apply the same rules to literals in the document. Runs once per operation and throws `INVALID_INPUT`. */
export function checkDocument(document: DocumentNode): void {
  let depth = 0;
  const refuse = (fault: string | undefined, what: string) => {
    if (fault) throw fail('INVALID_INPUT', `${what} ${fault}`);
  };
  const nested = {
    enter: () => refuse(++depth > maxDepth ? tooDeep : undefined, 'a value in the operation'),
    leave: () => void depth--,
  };
  visit(document, {
    // As a key of a plain object, this name would set the prototype.
    Name: ({ value }) => refuse(value === '__proto__' ? 'cannot be used as a name' : undefined, '__proto__'),
    // The planner reserves this variable for entity representations.
    VariableDefinition: ({ variable }) =>
      refuse(variable.name.value === 'representations' ? 'cannot be used as a variable' : undefined, '$representations'),
    Directive: ({ name }) => refuse(/^(defer|stream)$/.test(name.value) ? 'is not supported' : undefined, `@${name.value}`),
    StringValue: ({ value }) => refuse(textFault(value), 'a text in the operation'),
    IntValue: ({ value }) => refuse(numberFault(Number(value)), 'a number in the operation'),
    FloatValue: ({ value }) => refuse(numberFault(Number(value)), 'a number in the operation'),
    ListValue: nested,
    ObjectValue: nested,
  });
}

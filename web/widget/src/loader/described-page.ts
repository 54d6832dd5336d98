import type { PageContext } from '../widget-contract.ts';
import { report } from './settings.ts';

/** The limits of the service. */
const [MAX_KEYS, MAX_KEY, MAX_BYTES] = [20, 64, 2_048];
/** Characters that the service cannot store. */
const UNSTORABLE = /[\0\p{Surrogate}]/u;

/**
 * A copy of the context that the page gives, without empty values. Undefined, and the console says why, if the service would refuse it: a
 * message without context is better than none.
 */
export function readContext(given: unknown): PageContext | undefined {
  if (given === undefined || given === null) return undefined;
  if (typeof given !== 'object' || Array.isArray(given)) return refuse('must be an object');
  const entries = Object.entries(given).filter(([, value]) => value !== undefined && value !== null) as [string, unknown][];
  if (entries.length === 0) return undefined;
  if (entries.length > MAX_KEYS) return refuse(`must have at most ${MAX_KEYS} keys`);
  for (const [key, value] of entries) {
    if (key.trim() === '' || key.length > MAX_KEY || UNSTORABLE.test(key))
      return refuse(`must have keys of 1 to ${MAX_KEY} characters`);
    const isPlain = ['string', 'boolean'].includes(typeof value) || Number.isFinite(value);
    if (!isPlain || UNSTORABLE.test(String(value))) return refuse(`has a value that is no text, number or boolean: ${key}`);
  }
  const context = Object.fromEntries(entries) as PageContext;
  const { length } = new TextEncoder().encode(JSON.stringify(context));
  return length > MAX_BYTES ? refuse(`has ${length} bytes of JSON, and must have at most ${MAX_BYTES}`) : context;
}

/** The context in an attribute of the script element. */
export function parseContext(text: string | undefined): PageContext | undefined {
  try {
    return text ? readContext(JSON.parse(text)) : undefined;
  } catch {
    return refuse('is no JSON in data-context');
  }
}

function refuse(fault: string): undefined {
  report(`The context of the page ${fault}. Messages are sent without it.`);
}

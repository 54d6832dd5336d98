import { pick } from '../sources/request-headers.ts';
import { refusal } from './operations.ts';
import type { CallerContext } from './plugin.ts';
import { type Configuration, type HeaderRules, settingsOf } from './server-configuration.ts';
import { claimAt } from './token-verification.ts';

type Headers = Record<string, string | undefined>;
type Requested = Pick<CallerContext, 'headers' | 'caller'>;

/** Returns the headers of a request to a subgraph with these rules. */
export const headersBy =
  (rules: HeaderRules) =>
  (context: CallerContext): Headers => ({
    ...forwarded(rules, context),
    ...rules.set,
    ...context.caller.subgraphHeaders,
    ...claimed(rules, context),
    ...context.signed,
  });

function forwarded({ forward = [], rename = {} }: HeaderRules, { headers: given }: Requested): Headers {
  const headers = pick(given, forward);
  for (const [from, to] of Object.entries(rename)) if (given[from] !== undefined) headers[to] = given[from];
  return headers;
}

/** Callers cannot send these, so a header without its claim is undefined. */
const claimed = ({ claims = {} }: HeaderRules, { caller }: Requested): Headers =>
  Object.fromEntries(
    Object.entries(claims).map(([path, name]) => [name, headerTextOf(path, caller.claims && claimAt(caller.claims, path))]),
  );

/** A text that reads as itself: no other is encoded to it, and it is no JSON of a list or object. */
const PLAIN = /^(?![ [{])[\x20-\x24\x26-\x7e]*(?<! )$/;

/**
 * A claim as the value of a header. Lists and objects are JSON and begin with `[` or `{`. Any other value is text, and where it is not plain,
 * in percent encoding as a whole. So no two texts, lists or objects are equal.
 */
function headerTextOf(path: string, claim: unknown): string | undefined {
  if (claim === undefined || claim === null) return undefined;
  if (typeof claim === 'object') return JSON.stringify(claim).replace(/[\x7f-\uffff]/g, escaped);
  const text = String(claim);
  if (PLAIN.test(text)) return text;
  if (!text.isWellFormed()) throw refusal('UNAUTHENTICATED', `The claim ${path} of the token is no Unicode text`);
  return encodeURIComponent(text);
}

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Characters of the header values that a caller gives a subgraph. Servers refuse requests with more than 8 or 16 kB of headers. */
const MAX_GIVEN = 4_096;

/** Create a check that throws when a caller gives a subgraph too much in headers, or a claim that can be no header. */
export function createHeaderCheck(configuration: Pick<Configuration, 'defaults' | 'subgraphs'>): (requested: Requested) => void {
  const all = [undefined, ...Object.keys(configuration.subgraphs)].map((name) => settingsOf(configuration, name).headers);
  return (requested) => {
    for (const rules of all) {
      const values = Object.values({ ...forwarded(rules, requested), ...claimed(rules, requested) });
      const length = values.reduce((sum, value = '') => sum + value.length, 0);
      if (length > MAX_GIVEN)
        throw refusal(
          'HEADERS_TOO_LARGE',
          `Headers and claims for a subgraph may have ${MAX_GIVEN} characters together, not ${length}`,
        );
    }
  };
}

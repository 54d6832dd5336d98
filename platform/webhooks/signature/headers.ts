import { isObject } from '../../../schema/json.ts';

/** The signature of one family, as its headers state it. */
export interface Claim {
  /** Why a header is missing or malformed; null if it is well-formed. */
  headersFault: string | null;
  /** Why the signature is not in the documented encoding; null if it is. */
  encodingFault: string | null;
  /** Unix seconds; null if unreadable. */
  timestamp: number | null;
  /** Signatures of 32 bytes, decoded leniently. A rotated secret adds a second one. */
  signatures: Buffer[];
}

const MAX_SIGNATURES = 4;

/** Parse pasted headers: lines of `name: value`, or a JSON object. Names become lower case. */
export function parseHeaders(text: string): Map<string, string> {
  return new Map(pairsOf(text).map(([name, value]) => [name.trim().toLowerCase(), unquote(value)]));
}

function pairsOf(text: string): [string, string][] {
  if (text.trimStart().startsWith('{')) {
    try {
      const parsed: unknown = JSON.parse(text);
      if (isObject(parsed)) return Object.entries(parsed).map(([name, value]) => [name, String(value)]);
    } catch {
      // Not JSON: read it as lines.
    }
  }
  return text.split('\n').flatMap((line): [string, string][] => {
    const colon = line.indexOf(':');
    return colon < 1 ? [] : [[line.slice(0, colon), line.slice(colon + 1)]];
  });
}

const unquote = (value: string): string => value.trim().replace(/^(["'])(.*)\1$/, '$2');

/** Read `x-svc-signature`. */
export function svcClaim(headers: Map<string, string>): Claim {
  const header = headers.get('x-svc-signature');
  if (!header) return missing('x-svc-signature', headers.has('x-svc-delivery'));
  const parts = header.split(',', 16).map((part) => part.trim().split('='));
  const timestamp = parts.find(([name]) => name === 't')?.[1];
  const texts = header.split(',', 16).flatMap((part) => (part.trim().startsWith('v1=') ? [part.trim().slice(3)] : []));
  const isComplete = timestamp !== undefined && texts.length > 0;
  return {
    headersFault: isComplete ? null : 'x-svc-signature must have the form t=<unix seconds>,v1=<hex>.',
    encodingFault: texts.every((text) => /^[0-9a-f]{64}$/.test(text))
      ? null
      : 'v1 of x-svc-signature must be 64 hexadecimal digits in lower case. It was changed, or encoded as something else.',
    timestamp: unixSeconds(timestamp),
    signatures: decoded(texts),
  };
}

/** Read the headers of Standard Webhooks. */
export function standardClaim(headers: Map<string, string>): Claim {
  const lacking = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].find((name) => !headers.get(name));
  if (lacking) return missing(lacking, headers.has('x-svc-delivery'));
  const texts = headers
    .get('webhook-signature')!
    .split(/\s+/, 16)
    .flatMap((part) => (part.startsWith('v1,') ? [part.slice(3)] : []));
  return {
    headersFault: texts.length > 0 ? null : 'webhook-signature must have the form v1,<base64>.',
    encodingFault: texts.every((text) => /^[A-Za-z0-9+/]{43}=$/.test(text))
      ? null
      : 'v1 of webhook-signature must be the base64 text of 32 bytes. It was changed, or encoded as something else.',
    timestamp: unixSeconds(headers.get('webhook-timestamp')),
    signatures: decoded(texts),
  };
}

function missing(name: string, isDelivery: boolean): Claim {
  const why = isDelivery ? 'Subscriptions without a secret are not signed.' : 'A proxy or framework may have removed it.';
  return { headersFault: `The header ${name} is missing. ${why}`, encodingFault: null, timestamp: null, signatures: [] };
}

const unixSeconds = (text = ''): number | null => (/^\d{1,15}$/.test(text) ? Number(text) : null);

/** Decode hexadecimal digits in any case, or any base64. Other lengths than 32 bytes cannot match. */
const decoded = (texts: string[]): Buffer[] =>
  texts
    .map((text) => (/^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64')))
    .filter(({ length }) => length === 32)
    .slice(0, MAX_SIGNATURES);

/** A body that may have been signed. */
export interface BodyForm {
  body: string;
  /** How the pasted body differs from this one; null for the pasted body itself. */
  fault: string | null;
}

const RAW = 'Verify the raw bytes of the request, before any parser.';

/**
 * The pasted body, and the bodies from which a framework may have made it, with the smallest change first. Always six forms, so that the
 * cost is constant.
 * @param templates sample bodies whose keys are in the order of the service
 */
export function bodyForms(pasted: string, templates: readonly unknown[]): BodyForm[] {
  const trimmed = pasted.replace(/^\uFEFF/, '').trim();
  const value = parsed(trimmed);
  const template = templates.find((each) => eventOf(each) === eventOf(value));
  const orElse = (work: () => string | undefined) => (value === undefined ? pasted : (work() ?? pasted));
  return [
    { body: pasted, fault: null },
    { body: trimmed, fault: `Whitespace, a line break or a byte order mark was added around the body. ${RAW}` },
    { body: asUtf8(trimmed), fault: `The body was decoded as Latin-1, but it is UTF-8. ${RAW}` },
    { body: compact(trimmed), fault: `A parser changed the whitespace of the body. ${RAW}` },
    {
      body: orElse(() => JSON.stringify(value)),
      fault: `A parser changed how characters or numbers are written, such as \\u00e9 for é. ${RAW}`,
    },
    {
      body: orElse(() => JSON.stringify(inOrderOf(template, value))),
      fault: `A parser changed the order of the keys. ${RAW}`,
    },
  ];
}

/** Deeper bodies are not parsed. Bodies of this service are shallow. */
const MAX_DEPTH = 64;

function parsed(text: string): unknown {
  try {
    if (depthOf(text) > MAX_DEPTH) return undefined;
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const eventOf = (value: unknown): unknown => (isObject(value) ? value.event : undefined);

/** Undo a decoding of UTF-8 as Latin-1. */
const asUtf8 = (text: string): string => (/^[\0-\xff]*$/.test(text) ? Buffer.from(text, 'latin1').toString('utf8') : text);

/** Visit the characters of a text with whether they are in a JSON string. One pass, whatever the text. */
function scan(text: string, visit: (character: string, isInString: boolean) => void): void {
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]!;
    if (character === '"') isInString = !isInString;
    visit(character, isInString);
    if (isInString && character === '\\' && at + 1 < text.length) visit(text[++at]!, true);
  }
}

function compact(text: string): string {
  const parts: string[] = [];
  scan(text, (character, isInString) => {
    if (isInString || !' \t\r\n'.includes(character)) parts.push(character);
  });
  return parts.join('');
}

function depthOf(text: string): number {
  let [depth, deepest] = [0, 0];
  scan(text, (character, isInString) => {
    if (isInString) return;
    if (character === '{' || character === '[') deepest = Math.max(deepest, ++depth);
    if (character === '}' || character === ']') depth -= 1;
  });
  return deepest;
}

/** Order the keys of a value like those of its template; unknown keys follow in their order. */
function inOrderOf(template: unknown, value: unknown): unknown {
  if (!isObject(template) || !isObject(value)) return value;
  const known = Object.keys(template).filter((name) => Object.hasOwn(value, name));
  const others = Object.keys(value).filter((name) => !Object.hasOwn(template, name));
  return Object.fromEntries([...known, ...others].map((name) => [name, inOrderOf(template[name], value[name])]));
}

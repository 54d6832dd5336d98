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

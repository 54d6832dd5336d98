import { RE2JS } from 're2js';
import { isObject } from '../../../schema/json.ts';
import { storable } from '../../../schema/text.ts';
import { MASK, ToolFault } from './templates.ts';

/** Names of headers, parameters and JSON keys whose values are masked. */
const SENSITIVE_NAME =
  /(^|[-_])auth($|[-_])|authorization|cookie|token(?!s)|secret|passw|credential|signature|api[-_]?key|private[-_]?key/i;

export const isSensitiveName = (name: string): boolean => SENSITIVE_NAME.test(name);

/** The value of a header with a sensitive name: only the scheme of credentials stays. */
export const maskedCredentials = (value: string): string => {
  const [, scheme] = /^(basic|bearer|digest|token|apikey)\s/i.exec(value) ?? [];
  return scheme ? `${scheme} ${MASK}` : MASK;
};

/**
 * Common forms of keys and tokens: JSON Web Tokens, and keys with the prefix of their issuer. A token starts only where its characters start,
 * so that each run of them is scanned once.
 */
const SENSITIVE_VALUE =
  /(?<![\w-])eyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]*|\b(?:sk|pk|rk)[-_](?:live|test|proj|ant)[-_][\w-]{12,}|\bgh[opsu]_\w{20,}|\bxox[abprs]-[\w-]{10,}|\bwhsec_[\w+/=]{20,}|\bAKIA[0-9A-Z]{16}\b/g;

/** Shorter values are no secrets, and masking them would destroy unrelated text. */
const MIN_LENGTH = 4;
const MAX_DEPTH = 64;
/** Layers of encoding that are removed to find a secret, such as percent-encoding in JSON. */
const LAYERS = 3;

/** Masks secrets in text, also in encoded forms: percent-encoding, escapes of JSON and HTML, Base64 and hexadecimal. */
export class Masker {
  readonly #forms: string[];
  readonly secrets: readonly string[];
  /** Characters that the longest encoded secret takes at most. */
  readonly margin: number;

  constructor(secrets: Iterable<string>) {
    this.secrets = [...new Set(secrets)].filter((value) => value.length >= MIN_LENGTH);
    this.#forms = [...new Set(this.secrets.flatMap(formsOf))];
    this.margin = 64 + 20 * Math.max(0, ...this.secrets.map((secret) => secret.length));
  }

  mask(text: string): string {
    const shown = this.#forms.length === 0 ? text : replaceSpans(text, this.#spans(text));
    return shown.replace(SENSITIVE_VALUE, MASK);
  }

  /** Mask the texts and keys of a JSON value. Throws `ToolFault` for a value that is nested too deeply. */
  maskValue(value: unknown, depth = 0): unknown {
    if (depth > MAX_DEPTH) throw new ToolFault('The response is nested too deeply.');
    if (typeof value === 'string') return this.mask(storable(value));
    if (typeof value === 'number') return this.mask(String(value)) === String(value) ? value : MASK;
    if (Array.isArray(value)) return value.map((each) => this.maskValue(each, depth + 1));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [this.mask(storable(key)), this.maskValue(each, depth + 1)]),
    );
  }

  /** The places of all forms, in bytes of the text. */
  #spans(text: string): [start: number, end: number][] {
    const spans: [number, number][] = [];
    let layer: Layer | undefined = { bytes: bytesOf(text) };
    for (let removed = 0; layer && removed <= LAYERS; removed += 1) {
      const { bytes, starts }: Layer = layer;
      for (const form of this.#forms) {
        for (let at = bytes.indexOf(form); at !== -1; at = bytes.indexOf(form, at + 1)) {
          const end = at + form.length;
          spans.push(starts ? [starts[at]!, starts[end]!] : [at, end]);
          at = end - 1;
        }
      }
      layer = decodeLayer(layer);
    }
    return spans;
  }
}

/** UTF-8 bytes as a string of one character per byte, so that percent-encoded bytes compare with text. */
const bytesOf = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/** The byte strings that reveal a secret. The other encodings are removed layer by layer. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8');
  const hex = bytes.toString('hex');
  return [bytesOf(secret), bytesOf(secret.replaceAll('+', ' ')), hex, hex.toUpperCase(), ...base64Forms(bytes)];
}

/** The characters that a secret fully determines, for its three positions within Base64 text, in both alphabets. */
function base64Forms(secret: Buffer): string[] {
  if (secret.length < 6) return [secret.toString('base64')];
  return [0, 1, 2].flatMap((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), secret]).toString('base64');
    const known = encoded.slice(shift === 0 ? 0 : shift + 1, Math.floor(((shift + secret.length) * 8) / 6));
    return [known, known.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** Text without some layers of encoding, with the position of each byte in the original text. */
interface Layer {
  bytes: string;
  starts?: Uint32Array;
}

const ENCODED = /%[0-9a-f]{2}|\\u[0-9a-f]{4}|\\["\\/bfnrt]|&#\d{1,7};|&#x[0-9a-f]{1,6};|&(?:amp|lt|gt|quot|apos);|\+/gi;
const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const escapes: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** Remove one layer of encoding; undefined if there is none. */
function decodeLayer({ bytes, starts }: Layer): Layer | undefined {
  if (bytes.search(ENCODED) === -1) return undefined;
  const origin = (at: number) => (starts ? starts[at]! : at);
  const next = new Uint32Array(bytes.length + 1);
  let [decoded, end] = ['', 0];
  const copy = (to: number) => {
    for (let at = end; at < to; at += 1) next[decoded.length + at - end] = origin(at);
    decoded += bytes.slice(end, to);
  };
  let high = '';
  for (const match of bytes.matchAll(ENCODED)) {
    copy(match.index);
    const [code] = match;
    const unit = unitOf(code);
    // Two escapes form one character beyond the basic plane.
    const isPair = high !== '' && match.index === end && /^[\udc00-\udfff]$/.test(unit);
    const text = isPair ? bytesOf(high + unit) : /^[\ud800-\udbff]$/.test(unit) ? '' : unitBytes(code, unit);
    for (let at = 0; at < text.length; at += 1) next[decoded.length + at] = origin(isPair ? match.index - 6 : match.index);
    decoded += text;
    high = /^[\ud800-\udbff]$/.test(unit) ? unit : '';
    end = match.index + code.length;
  }
  copy(bytes.length);
  next[decoded.length] = origin(bytes.length);
  return { bytes: decoded, starts: next };
}

function unitOf(code: string): string {
  if (code === '+') return ' ';
  if (code[0] === '%') return String.fromCharCode(Number.parseInt(code.slice(1), 16));
  if (/^\\u/i.test(code)) return String.fromCharCode(Number.parseInt(code.slice(2), 16));
  if (code[0] === '\\') return escapes[code[1]!] ?? code[1]!;
  if (code[1] !== '#') return named[code.slice(1, -1).toLowerCase()]!;
  const point = /^&#x/i.test(code) ? Number.parseInt(code.slice(3), 16) : Number.parseInt(code.slice(2), 10);
  return point <= 0x10ffff ? String.fromCodePoint(point) : '';
}

/** A percent-encoded unit is a byte already. */
const unitBytes = (code: string, unit: string): string => (code[0] === '%' ? unit : bytesOf(unit));

/** Replace byte ranges, which may overlap, by `••••`. */
function replaceSpans(text: string, spans: [number, number][]): string {
  if (spans.length === 0) return text;
  const bytes = Buffer.from(text, 'utf8');
  const pieces: string[] = [];
  let end = 0;
  for (const [from, to] of spans.sort(([a], [b]) => a - b)) {
    if (from >= end) pieces.push(bytes.toString('utf8', end, from), MASK);
    end = Math.max(end, to);
  }
  pieces.push(bytes.toString('utf8', end));
  return pieces.join('');
}

/** Compile a regular expression of a user for an engine that runs in linear time. Throws for lookaround and backreferences. */
export const linearPattern = (source: string): RE2JS => RE2JS.compile(RE2JS.translateRegExp(source));

import { ContentFault } from '../../../platform/reading/task.ts';
import { isObject } from '../../../schema/json.ts';
import { escapeMarkup, storable } from '../../../schema/text.ts';

/** Replaces a secret in everything that is shown, stored or returned. */
export const MASK = '••••';

/** A call that cannot be made or used. The message is for the model and the owner of the tool. */
export class ToolFault extends ContentFault {
  override readonly name = 'ToolFault';
}

/** A piece of a template: literal text, a parameter by its path, or a secret by its name. */
export type Part = string | { param: string[] } | { secret: string } | { visitor: string[] };

/** The values that replace placeholders. */
export interface Values {
  params: Record<string, unknown>;
  secrets: ReadonlyMap<string, string>;
  /** The visitor that the site has signed in. The model cannot set it. */
  visitor?: TemplateVisitor | NamesOfValues | null;
}

/** Stands for a visitor in requests that are only shown: each value is its own name, such as `visitor.id`. */
export type NamesOfValues = 'names';

/** The values of `{{visitor.x}}`. */
export interface TemplateVisitor {
  id: string;
  email: string | null;
  claims: Record<string, unknown>;
}

/** A rendered template, and the same text with `••••` in place of secrets. */
export interface Rendered {
  text: string;
  masked: string;
}

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;
const PARAM = /^params((?:\.[\w$-]+)+)$/;
const VISITOR = /^visitor\.(id|email|claims(?:\.[\w$-]+)+)$/;
const SECRET = /^secret:([A-Z][A-Z0-9_]{0,63})$/;

/** Split a template at its placeholders. Unknown placeholders stay text; `unknownPlaceholders` reports them. */
export function parseTemplate(template: string): Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const match of template.matchAll(PLACEHOLDER)) {
    const part = readPlaceholder(match[1]!);
    if (!part) continue;
    if (match.index > end) parts.push(template.slice(end, match.index));
    parts.push(part);
    end = match.index + match[0].length;
  }
  if (end < template.length) parts.push(template.slice(end));
  return parts;
}

function readPlaceholder(text: string): Exclude<Part, string> | undefined {
  const [, path] = PARAM.exec(text.trim()) ?? [];
  if (path) return { param: path.slice(1).split('.') };
  const [, visitor] = VISITOR.exec(text.trim()) ?? [];
  if (visitor) return { visitor: visitor.split('.') };
  const [, secret] = SECRET.exec(text.trim()) ?? [];
  return secret ? { secret } : undefined;
}

export const unknownPlaceholders = (template: string): string[] =>
  [...template.matchAll(PLACEHOLDER)].flatMap(([whole, inner]) => (readPlaceholder(inner!) ? [] : [whole]));

/** The names of the secrets that templates use, without duplicates. */
export function secretsOf(templates: readonly string[]): string[] {
  const names = templates
    .flatMap(parseTemplate)
    .flatMap((part) => (typeof part === 'object' && 'secret' in part ? part.secret : []));
  return [...new Set(names)].sort();
}

/** Whether templates use values of the visitor. */
export const namesVisitor = (templates: readonly string[]): boolean =>
  templates.flatMap(parseTemplate).some((part) => typeof part === 'object' && 'visitor' in part);

/** A place in a request, which decides how values are escaped. `isInString` is whether the literal text so far ends inside a JSON string. */
export interface Place {
  escape(value: unknown, name: string, isInString: boolean): string;
  /** The replacement of a secret in the masked text; default `••••`. */
  mask?(isInString: boolean): string;
}

/** Fill in a template. A missing parameter is undefined. Throws `ToolFault` for an unknown secret or a text that is too long. */
export function render(template: string, { params, secrets, visitor }: Values, place: Place): Rendered {
  let [text, masked] = ['', ''];
  const strings = new JsonStrings();
  for (const part of parseTemplate(template)) {
    if (typeof part === 'string') {
      strings.add(part);
      text += part;
      masked += part;
    } else if ('param' in part) {
      const value = place.escape(read(params, part.param), `params.${part.param.join('.')}`, strings.isInside);
      text += value;
      masked += value;
    } else if ('visitor' in part) {
      const value = place.escape(visitorValue(visitor, part.visitor), `visitor.${part.visitor.join('.')}`, strings.isInside);
      text += value;
      masked += value;
    } else {
      const secret = secrets.get(part.secret);
      if (secret === undefined) throw new ToolFault(`The secret ${part.secret} does not exist.`);
      text += place.escape(secret, `secret:${part.secret}`, strings.isInside);
      masked += place.mask?.(strings.isInside) ?? MASK;
    }
    if (text.length > MAX_RENDERED) throw new ToolFault('The request is too large.');
  }
  return { text, masked };
}

/** A request must never be about nobody, so that a missing value is a fault. */
function visitorValue(visitor: Values['visitor'], path: string[]): unknown {
  if (visitor === 'names') return `visitor.${path.join('.')}`;
  if (!visitor) throw new ToolFault(NEEDS_VISITOR);
  const value = read(visitor, path);
  if (value === undefined || value === null || value === '') throw new ToolFault(`The visitor has no ${path.join('.')}.`);
  return value;
}

export const NEEDS_VISITOR =
  'This needs a visitor who is signed in on the website. Tell the user to sign in there, and do not ask for an id or an address instead.';

const MAX_RENDERED = 200_000;

function read(params: unknown, path: string[]): unknown {
  let value = params;
  for (const key of path) {
    if (!isObject(value) && !Array.isArray(value)) return undefined;
    if (!Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

const textOf = (value: unknown): string => {
  if (value === undefined || value === null) return '';
  return storable(typeof value === 'object' ? JSON.stringify(value) : String(value));
};

/** Encodes every character that has a meaning in a URL. */
export const inUrl: Place = {
  escape: (value) =>
    encodeURIComponent(textOf(value)).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`),
};

/** HTTP sends each character of a header as one byte. */
export const IS_LATIN_1 = /^[\0-\xff]*$/;

export const inHeader: Place = {
  escape(value, name) {
    const text = textOf(value);
    if (/[^\t\P{Cc}]/u.test(text)) throw new ToolFault(`${name} must not contain line breaks or control characters.`);
    if (!IS_LATIN_1.test(text))
      throw new ToolFault(`${name} must have only characters of Latin-1, because it is part of a header.`);
    return text;
  },
};

/** Inside a JSON string: escaped text. Elsewhere: a JSON value, and null for a missing parameter. */
export const inJson: Place = {
  escape: (value, _, isInString) =>
    isInString
      ? JSON.stringify(textOf(value)).slice(1, -1)
      : JSON.stringify(typeof value === 'string' ? storable(value) : (value ?? null)),
  mask: (isInString) => (isInString ? MASK : JSON.stringify(MASK)),
};

/** Follows the strings of JSON text that comes in parts. */
class JsonStrings {
  isInside = false;
  #isEscaped = false;

  add(part: string): void {
    for (const character of part) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (character === '"') this.isInside = !this.isInside;
      else this.#isEscaped = character === '\\' && this.isInside;
    }
  }
}

export const inXml: Place = { escape: (value) => escapeMarkup(textOf(value)) };

export const inText: Place = { escape: (value) => textOf(value) };

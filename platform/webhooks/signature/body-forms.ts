import { isObject } from '../../../schema/json.ts';

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

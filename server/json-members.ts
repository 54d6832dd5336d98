const [QUOTE, BACKSLASH, COLON, OPEN_LIST, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = Buffer.from('"\\:[]{}');

/** Measure the depth of a JSON text and count the members of its objects, including duplicates. */
export function measureJson(text: string): { depth: number; members: number } {
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
  for (let at = text.indexOf('"', start); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = at;
    while (slashes > start && text.charCodeAt(slashes - 1) === BACKSLASH) slashes--;
    if ((at - slashes) % 2 === 0) return at;
  }
  return text.length;
}

/** Whether an object of a parsed value lost members, because `JSON.parse` keeps only the last of each name. */
export const hasDuplicateKeys = (value: unknown, members: number): boolean => countKeys(value) !== members;

/** Like `hasDuplicateKeys`, for a text. False for text that is not JSON. */
export function namesKeyTwice(text: string): boolean {
  try {
    return hasDuplicateKeys(JSON.parse(text), measureJson(text).members);
  } catch {
    return false;
  }
}

/** Not recursive, because the depth of a value is not limited. */
function countKeys(value: unknown): number {
  let count = 0;
  const open = [value];
  for (let each = open.pop(); each !== undefined; each = open.pop()) {
    if (typeof each !== 'object' || each === null) continue;
    const children: unknown[] = Object.values(each);
    if (!Array.isArray(each)) count += children.length;
    for (const child of children) if (typeof child === 'object' && child !== null) open.push(child);
  }
  return count;
}

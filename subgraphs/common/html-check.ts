import { ADDRESS, ADDRESSES, ATTRIBUTES, DEEPEST, EVERYWHERE, STYLES, TAGS } from './html-rules.ts';

/** Text, or one tag whose attributes all have quoted values. Parsers disagree about anything else, so anything else is not clean. */
const TOKEN = /[^<]+|<(?![a-z/!?])|<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z-]+=(?:"[^"<>]*"|'[^'<>]*'))*)\s*\/?>/iy;
const ATTRIBUTE = /([a-z-]+)=(?:"([^"]*)"|'([^']*)')/gi;

const EMPTY = new Set(['br', 'col', 'hr', 'img', 'wbr']);
/** Elements that another start or end tag may end. */
const OPEN_ENDED = new Set(['p', 'li', 'dt', 'dd', 'td', 'th', 'tr', 'thead', 'tbody', 'tfoot', 'colgroup', 'caption']);

/** Whether HTML holds only allowed elements, well nested and written so that all parsers read it alike. */
export function isCleanHtml(html: string): boolean {
  const open: string[] = [];
  for (let at = 0; at < html.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const [token, closing, written, attributes = ''] = TOKEN.exec(html) ?? [];
    if (token === undefined) return false;
    if (written === undefined) continue;
    const name = written.toLowerCase();
    if (!TAGS.has(name) || open.length > DEEPEST) return false;
    if (closing) {
      if (attributes !== '' || !close(open, name)) return false;
    } else {
      if (!hasCleanAttributes(name, attributes)) return false;
      if (!EMPTY.has(name)) open.push(name);
    }
  }
  return open.every((name) => OPEN_ENDED.has(name));
}

function close(open: string[], name: string): boolean {
  const at = open.lastIndexOf(name);
  return at >= 0 && open.splice(at).every((each, index) => index === 0 || OPEN_ENDED.has(each));
}

function hasCleanAttributes(tag: string, written: string): boolean {
  const names = new Set<string>();
  for (const [, given = '', double, single] of written.matchAll(ATTRIBUTE)) {
    const [name, value] = [given.toLowerCase(), double ?? single ?? ''];
    if (names.has(name) || !(EVERYWHERE.includes(name) || ATTRIBUTES[tag]?.includes(name))) return false;
    if (ADDRESSES.has(name) && !ADDRESS.test(value)) return false;
    if (name === 'style' && !hasCleanStyles(value)) return false;
    names.add(name);
  }
  return true;
}

const hasCleanStyles = (value: string) =>
  value
    .split(';')
    .filter((each) => each.trim() !== '')
    .every((declaration) => {
      const [property = '', set = '', ...more] = declaration.split(':').map((part) => part.trim());
      return more.length === 0 && Object.hasOwn(STYLES, property) && STYLES[property]!.some((allowed) => allowed.test(set));
    });

import { ATTRIBUTES, GLOBAL_ATTRIBUTES, MAX_DEPTH, OPENER, STYLES, TAGS, URL_ATTRIBUTES, URL_PATTERN } from './rules.ts';

/** Text, or one tag with quoted attribute values. Parsers disagree about other syntax, so it counts as unclean. */
const TOKEN = /[^<]+|<(?![a-z/!?])|<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z-]+=(?:"[^"<>]*"|'[^'<>]*'))*)\s*\/?>/iy;
const ATTRIBUTE = /\s+([a-z-]+)=(?:"([^"]*)"|'([^']*)')/giy;

const VOID = new Set(['br', 'col', 'hr', 'img', 'wbr']);
/** Elements with an optional end tag. */
const OPTIONAL_END = new Set(['p', 'li', 'dt', 'dd', 'td', 'th', 'tr', 'thead', 'tbody', 'tfoot', 'colgroup', 'caption']);

/** Whether HTML contains only allowed elements, properly nested, in syntax that all parsers read alike. */
export function isCleanHtml(html: string): boolean {
  const open: string[] = [];
  for (let at = 0; at < html.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const [token, closing, written, attributes = ''] = TOKEN.exec(html) ?? [];
    if (token === undefined) return false;
    if (written === undefined) continue;
    const name = written.toLowerCase();
    if (!TAGS.has(name) || open.length > MAX_DEPTH) return false;
    if (closing) {
      if (attributes !== '' || !close(open, name)) return false;
    } else {
      if (!hasCleanAttributes(name, attributes)) return false;
      if (!VOID.has(name)) open.push(name);
    }
  }
  return open.every((name) => OPTIONAL_END.has(name));
}

function close(open: string[], name: string): boolean {
  const at = open.lastIndexOf(name);
  return at >= 0 && open.splice(at).every((each, index) => index === 0 || OPTIONAL_END.has(each));
}

function hasCleanAttributes(tag: string, written: string): boolean {
  const names = new Set<string>();
  for (const [, attribute = '', double, single] of written.matchAll(ATTRIBUTE)) {
    const [name, value] = [attribute.toLowerCase(), double ?? single ?? ''];
    if (names.has(name) || !(GLOBAL_ATTRIBUTES.includes(name) || ATTRIBUTES[tag]?.includes(name))) return false;
    if (URL_ATTRIBUTES.has(name) && !URL_PATTERN.test(value)) return false;
    if (name === 'rel' && (value.includes('&') || value.search(OPENER) >= 0)) return false;
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
      const [property = '', setting = '', ...more] = declaration.split(':').map((part) => part.trim());
      return more.length === 0 && Object.hasOwn(STYLES, property) && STYLES[property]!.some((allowed) => allowed.test(setting));
    });

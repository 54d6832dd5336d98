import { Parser } from 'htmlparser2';

/** Elements within a line of text. The others part words. */
const INLINE = new Set(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd mark q s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);
/** Elements whose content is no text. */
const HIDDEN = new Set(['script', 'style']);
/** The parser searches its open elements for each closing tag. */
const MAX_OPEN = 256;

/** The text of HTML without its tags, in linear time. Elements other than those within a line part words by a space. */
export function plainText(html: string): string {
  const parts: string[] = [];
  let isHidden = false;
  for (let at = 0; at < html.length; ) {
    let open = 0;
    const parser: Parser = new Parser({
      onopentag(name) {
        open += 1;
        if (HIDDEN.has(name)) isHidden = true;
        else if (open > MAX_OPEN) parser.pause();
        if (!INLINE.has(name)) parts.push(' ');
      },
      ontext(text) {
        if (!isHidden) parts.push(text);
      },
      onclosetag(name) {
        open -= 1;
        if (HIDDEN.has(name)) isHidden = false;
        if (!INLINE.has(name)) parts.push(' ');
      },
    });
    const rest = html.slice(at);
    parser.write(rest);
    if (open <= MAX_OPEN) {
      parser.end();
      break;
    }
    // Another parser reads the rest, because the structure does not matter.
    at += parser.endIndex + 1;
  }
  return parts
    .join('')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .trim();
}

/** Characters that are held back at most. */
const MAX_HELD = 4_000;

/** A destination of Markdown: `](…`, also of an image. */
const DESTINATION = /\]\(\s{0,9}(<[^<>\n]*>|[^\s()<>]*(?:\([^\s()<>]*\)[^\s()<>]*)*)/g;
/** Text that renderers make a link of, or that names a destination elsewhere, such as in a reference. */
const ADDRESS = /(?:[a-z][a-z\d+.-]{1,20}:[/\\]{1,3}|https?:(?=[^\s/\\])|(?<![\w/\\.])[/\\]{2}(?=[\w[])|\bwww\.)[^\s<>"'`|]*/gi;
/** Ends of sentences and of Markdown, which are no part of an address before them. */
const PUNCTUATION = ').,;:!?]}*_';
const ENTITY = /&(?:#\d{1,7}|#x[\da-f]{1,6}|colon|sol|bsol|period|tab|newline|amp);?/gi;
const NAMED: Record<string, string> = { colon: ':', sol: '/', bsol: '\\', period: '.', tab: '', newline: '', amp: '&' };

/**
 * Keeps the links and images of a streamed reply to allowed hosts. Other addresses become text that no renderer follows or loads, such as
 * `https[:]//example.com`, so that a model that obeys somebody else cannot send data by an address.
 */
export class LinkFilter {
  #held = '';

  /** @param isAllowed whether a reply may link to a URL */
  constructor(private readonly isAllowed: (url: URL) => boolean) {}

  /** The text that can be sent now. The last word may continue in the next delta. */
  write(delta: string): string {
    const text = this.#held + delta;
    const end = endOf(text);
    this.#held = text.slice(end);
    return this.#clean(text.slice(0, end));
  }

  end(): string {
    const text = this.#held;
    this.#held = '';
    return this.#clean(text);
  }

  #clean(text: string): string {
    if (!/[:/\\&]|www\./i.test(text)) return text;
    let [cleaned, end] = ['', 0];
    for (const match of text.matchAll(DESTINATION)) {
      const destination = match[1]!.replace(/^<|>$/g, '');
      cleaned += this.#cleanWords(text.slice(end, match.index));
      cleaned += destination === '' || this.#leadsTo(destination) ? match[0] : `] (${asText(destination)}`;
      end = match.index + match[0].length;
    }
    return cleaned + this.#cleanWords(text.slice(end));
  }

  #cleanWords(text: string): string {
    return text
      .split(/(\s+)/)
      .map((word) => this.#cleanWord(word))
      .join('');
  }

  #cleanWord(word: string): string {
    const plain = decoded(word);
    // An address that is hidden by entities or escapes is no address of a person.
    if (plain !== word && [...plain.matchAll(ADDRESS)].some(([address]) => !this.#leadsTo(address))) return asText(plain);
    return word.replace(ADDRESS, (address) => {
      let end = address.length;
      while (end > 0 && PUNCTUATION.includes(address[end - 1]!)) end -= 1;
      const bare = address.slice(0, end);
      return this.#leadsTo(bare) ? address : asText(bare) + address.slice(end);
    });
  }

  /** Whether an address leads to an allowed host. */
  #leadsTo(address: string): boolean {
    const plain = decoded(address).replace(/^[/\\]{2}/, 'https://');
    const url = URL.parse(/^www\./i.test(plain) ? `https://${plain}` : plain);
    return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' && this.isAllowed(url);
  }
}

/** A destination may contain spaces before it and within angle brackets, so that an open one is held back whole, like the last word. */
function endOf(text: string): number {
  if (text.length > MAX_HELD) return text.length;
  let word = text.length;
  while (word > 0 && !/\s/.test(text[word - 1]!)) word -= 1;
  const open = /\]\(\s*(?:<[^<>\n]*)?$/.exec(text);
  return Math.min(word, open?.index ?? word);
}

/** Text as Markdown reads an address: without entities, escapes and characters that URLs ignore. */
const decoded = (text: string): string =>
  text
    .replace(ENTITY, (entity) => {
      const name = entity.slice(1).replace(/;$/, '').toLowerCase();
      if (name.startsWith('#x')) return characterOf(Number.parseInt(name.slice(2), 16));
      return name.startsWith('#') ? characterOf(Number(name.slice(1))) : (NAMED[name] ?? '');
    })
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/[\t\r\n\u00ad\u200b-\u200f\u2060\ufeff]/g, '');

const characterOf = (code: number): string => (code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '');

/** An address as people write one that nobody should follow. Nothing in it is a scheme or a host for a renderer. */
const asText = (address: string): string =>
  decoded(address)
    .replace(/[<>]/g, '')
    .replace(/:/g, '[:]')
    .replace(/^[/\\]{2}/, '[/]/')
    .replace(/([^\]])[/\\]{2}/g, '$1[/]/')
    .replace(/www\./gi, 'www[.]');

/** Letters that Unicode does not decompose. */
const LETTERS: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', ł: 'l', þ: 'th', ı: 'i' };

/** Suggest a slug for a name, such as `seat-height` for "Seat height". Accents become plain letters. */
export const slugOf = (name: string, maxLength: number): string =>
  name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]/g, (letter) => LETTERS[letter] ?? '-')
    .replace(/-+/g, '-')
    .slice(0, maxLength)
    .replace(/^-|-$/g, '');

/** The name of a language in another one. A tag that no language has, such as `de-12`, is its own name. */
export function languageName(tag: string, inLanguage: string): string {
  try {
    return new Intl.DisplayNames(inLanguage, { type: 'language' }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}

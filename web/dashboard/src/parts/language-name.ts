/** The name of a language in another one. A tag that no language has, such as `de-12`, is its own name. */
export function languageName(tag: string, inLanguage: string): string {
  try {
    return new Intl.DisplayNames(inLanguage, { type: 'language' }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}

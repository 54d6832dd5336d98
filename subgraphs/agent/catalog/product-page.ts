/** The keys of a product in the address of its page. */
export interface PageKeys {
  sku: string;
  externalId: string | null;
}

const PLACEHOLDER = /\{\{(sku|externalId)\}\}/g;
const MAX_LENGTH = 2_000;

/** Why a text is no pattern of the pages of products; undefined for one. */
export function patternFault(pattern: string): string | undefined {
  const filled = (value: string) => URL.parse(pattern.replace(PLACEHOLDER, value));
  const [url, other] = [filled('a'), filled('b')];
  if (pattern.length > MAX_LENGTH || url?.protocol !== 'https:' || url.username || url.password)
    return 'must be an https URL without credentials';
  if (/\{\{|\}\}/.test(pattern.replace(PLACEHOLDER, ''))) return 'may contain only {{sku}} and {{externalId}}';
  // The value of a product must not choose another host.
  if (url.origin !== other?.origin) return 'must not contain a placeholder in its host';
  return url.href === other.href ? 'must contain {{sku}} or {{externalId}}' : undefined;
}

/** The page of a product; null without a pattern, and for a product that lacks the key. */
export function pageOf({ sku, externalId }: PageKeys, pattern: string | null): string | null {
  if (pattern === null || (externalId === null && pattern.includes('{{externalId}}'))) return null;
  const values: Record<string, string> = { sku, externalId: externalId ?? '' };
  // Encoded dots would still be a step to the folder above.
  const isStep = Object.values(values).some((value) => /^\.{1,2}$/.test(value));
  return isStep
    ? null
    : (URL.parse(pattern.replace(PLACEHOLDER, (_, name: string) => encodeURIComponent(values[name]!)))?.href ?? null);
}

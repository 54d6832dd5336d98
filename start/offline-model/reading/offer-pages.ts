import type { Material } from '../../../subgraphs/catalog/extraction/extraction-prompt.ts';
import { tokensOf } from './synonyms.ts';

interface OfferAnswer {
  price: number | null;
  originalPrice: number | null;
  currency: string | null;
  availability: string;
}

const NONE: OfferAnswer = { price: null, originalPrice: null, currency: null, availability: 'unknown' };

/** The reply to an offer request: the price on each page that names the product. */
export function readOffers({ product, sources }: Material): Record<string, OfferAnswer> {
  return Object.fromEntries(
    sources.map(({ id, title = '', text }) => [id, isAbout(product, `${title}\n${text}`) ? offerOf(String(text)) : NONE]),
  );
}

/** Whether a page contains the product's part number, or every word of its name. */
function isAbout({ name, mpn }: Material['product'], page: string): boolean {
  const words = new Set(tokensOf(page));
  const standsIn = (text: unknown) => {
    const tokens = typeof text === 'string' ? tokensOf(text) : [];
    return tokens.length > 0 && tokens.every((each) => words.has(each));
  };
  return typeof mpn === 'string' && mpn !== '' ? standsIn(mpn) : standsIn(name);
}

const AMOUNT = String.raw`(\d{1,3}(?:[.,'’ ]\d{3}){0,4}(?:[.,]\d{1,2})?|\d{1,15}(?:[.,]\d{1,2})?)(?![\d%])`;
const SIGN = String.raw`(€|£|US\$|\$|EUR|USD|GBP|CHF|SEK|DKK|NOK|PLN)`;
const BEFORE = new RegExp(`${SIGN}\\s?${AMOUNT}`, 'i');
const AFTER = new RegExp(`${AMOUNT}\\s?${SIGN}`, 'i');
const ALONE = new RegExp(`^(?:offers )?price:\\s*${AMOUNT}$`, 'i');
const CURRENCY = /\bcurrency: ?([A-Z]{3})\b/i;
const CODES: Record<string, string> = { '€': 'EUR', '£': 'GBP', $: 'USD', US$: 'USD' };

/** Words of prices that are not the current price of one item. */
const FOREIGN =
  /\b(?:shipping|delivery|postage|accessor|per month|monthly|instal|similar|also bought|voucher|save|you save|used|per (?:kg|l|m|100)\b)/i;
const BEFORE_REDUCTION = /\b(?:was|rrp|msrp|list price|original price|instead of|before|old price|regular price)\b/i;

function offerOf(text: string): OfferAnswer {
  const lines = text.split(/\r?\n|(?<=\S)\s+[|·•]\s+/);
  const [, stated] = CURRENCY.exec(text) ?? [];
  const amounts = lines
    .flatMap((line) => parts(line))
    .flatMap((line) => {
      const amount = FOREIGN.test(line) ? undefined : amountIn(line, stated?.toUpperCase());
      return amount ? [{ ...amount, reducedFrom: BEFORE_REDUCTION.test(line) }] : [];
    });
  const now = amounts.find(({ reducedFrom }) => !reducedFrom);
  if (!now) return NONE;
  const before = amounts.find(({ reducedFrom, price, currency }) => reducedFrom && currency === now.currency && price > now.price);
  return { price: now.price, originalPrice: before?.price ?? null, currency: now.currency, availability: availabilityIn(text) };
}

/** Splits texts such as 'Now £49.00, was £59.00'. */
const parts = (line: string) => line.split(/[,;(]\s+(?=\D)|\s(?=(?:was|rrp|instead of)\b)/i);

function amountIn(line: string, stated: string | undefined): { price: number; currency: string } | undefined {
  const [, sign, amount] = BEFORE.exec(line) ?? (([all, number, unit]) => [all, unit, number])(AFTER.exec(line) ?? []);
  if (sign && amount) return { price: numberOf(amount), currency: CODES[sign.toUpperCase()] ?? sign.toUpperCase() };
  const [, alone] = ALONE.exec(line.trim()) ?? [];
  return alone && stated ? { price: numberOf(alone), currency: stated } : undefined;
}

/** One or two digits after the last separator are decimals; three are thousands. */
function numberOf(amount: string): number {
  const [, whole = '', decimals = '0'] = /^(.*?)(?:[.,](\d{1,2}))?$/.exec(amount) ?? [];
  return Number(`${whole.replace(/\D/g, '')}.${decimals}`);
}

const AVAILABILITIES: [RegExp, string][] = [
  [/\b(?:out of stock|sold out|outofstock|currently unavailable|not available)\b/i, 'out_of_stock'],
  [/\b(?:pre-?order)\b/i, 'preorder'],
  [/\bback-?order/i, 'backorder'],
  [/\b(?:only \d+ left|low stock|limited (?:stock|availability)|limitedavailability|few left)\b/i, 'limited_stock'],
  [/\b(?:in stock|instock|available now|ready to ship)\b/i, 'in_stock'],
];
const availabilityIn = (text: string) => AVAILABILITIES.find(([pattern]) => pattern.test(text))?.[1] ?? 'unknown';

/** Unambiguous number formats with their group and decimal separators. */
const FORMATS: { form: RegExp; groups: RegExp; decimal?: string }[] = [
  { form: /^[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d{1,3})?$/i, groups: /(?!)/g },
  // A comma before three digits separates thousands. `1,5` and `0,234` are ambiguous: decimals or a list.
  { form: /^[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?$/, groups: /,/g },
  { form: /^[+-]?[1-9]\d{0,2}(?:\.\d{3})+,\d+$|^[+-]?[1-9]\d{0,2}(?:\.\d{3}){2,}$/, groups: /\./g, decimal: ',' },
  { form: /^[+-]?[1-9]\d{0,2}(?:[ \u00a0\u2009\u202f'’]\d{3})+(?:\.\d+)?$/, groups: /[^\d.+-]/g },
];

/** Parse an unambiguous number, optionally followed by its unit. */
export function numberFrom(text: string, unit?: string | null): number | undefined {
  const number = plainNumber(text);
  if (number !== undefined || !unit) return number;
  const written = text.replace(/(?<=\p{L})\.$/u, '');
  const names = [unit, ...(NAMES[unit.toLowerCase()] ?? [])];
  const name = names.find((each) => fold(written, unit).endsWith(fold(each, unit)));
  return name === undefined ? undefined : plainNumber(written.slice(0, -name.length).trim());
}

function plainNumber(text: string): number | undefined {
  const ascii = text.replace('−', '-');
  const format = FORMATS.find(({ form }) => form.test(ascii));
  if (!format) return undefined;
  const { groups, decimal } = format;
  const digits = ascii.replaceAll(groups, '');
  return Number(decimal ? digits.replace(decimal, '.') : digits);
}

/** Synonyms of common units. */
const NAMES: Record<string, string[]> = {
  g: ['gr', 'gram', 'grams'],
  kg: ['kgs', 'kilogram', 'kilograms'],
  oz: ['ounce', 'ounces'],
  lb: ['lbs', 'pound', 'pounds'],
  mm: ['millimeter', 'millimeters', 'millimetre', 'millimetres'],
  cm: ['centimeter', 'centimeters', 'centimetre', 'centimetres'],
  m: ['meter', 'meters', 'metre', 'metres'],
  in: ['inch', 'inches', '"', '″'],
  ft: ['foot', 'feet'],
  l: ['liter', 'liters', 'litre', 'litres'],
  ml: ['milliliter', 'milliliters', 'millilitre', 'millilitres'],
  w: ['watt', 'watts'],
  v: ['volt', 'volts'],
  '%': ['percent'],
};

/** Units that differ only in case: `mW` and `MW`, `Mb` and `MB`. */
const CASE_MATTERS = /^(?:m(?:[avwj]|hz|pa)?|[kmgt]b(?:ps|\/s)?)$/i;
const fold = (text: string, unit: string) => (CASE_MATTERS.test(unit) ? text : text.toLowerCase());

/** Commas, points, spaces or apostrophes may separate groups of three digits. The last separator may be the decimal point. */
const NUMERAL = /\d+(?:[.,'’\s]\d{3})*(?:[.,]\d{1,4})?/g;

/** All numbers that a text may contain: `1.299,00` is 1299; `1.299` is 1299 or 1.299. */
export function numbersIn(text: string): Set<number> {
  const numbers = new Set<number>();
  for (const [numeral] of text.matchAll(NUMERAL)) {
    const [, whole, decimals] = /^(.*?)(?:[.,](\d+))?$/s.exec(numeral)!;
    const digits = (each: string) => each.replace(/\D/g, '');
    if (decimals) numbers.add(Number(`${digits(whole!)}.${decimals}`));
    if (!decimals || decimals.length === 3) numbers.add(Number(digits(numeral)));
    // 'Pack of 2 500 ml' is two numbers as well as one.
    for (const part of numeral.split(/\s/)) if (/^\d+([.,]\d{1,2})?$/.test(part)) numbers.add(Number(part.replace(',', '.')));
  }
  return numbers;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';

/** Unambiguous date formats. `03/04/2024` is ambiguous: the order of day and month is unknown. */
const FORMS = [
  /^(?<year>\d{4})[-/](?<month>\d{1,2})[-/](?<day>\d{1,2})$/,
  // A timestamp means the day in its own time zone.
  /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?\s?(?:Z|[+-]\d\d:?\d\d)?$/i,
  new RegExp(`^(?<day>\\d{1,2})(?:st|nd|rd|th)?\\.? (?:of )?(?<month>${MONTH})\\.?,? (?<year>\\d{4})$`, 'i'),
  new RegExp(`^(?<month>${MONTH})\\.? (?<day>\\d{1,2})(?:st|nd|rd|th)?,? (?<year>\\d{4})$`, 'i'),
];

/** Parse an unambiguous date to YYYY-MM-DD. Does not check that the calendar contains the day. */
export function dateFrom(text: string): string | undefined {
  const parts = FORMS.map((form) => form.exec(text)?.groups).find(Boolean);
  if (!parts) return undefined;
  const { year, month = '', day = '' } = parts;
  const number = MONTHS.indexOf(month.slice(0, 3).toLowerCase()) + 1 || Number(month);
  return [year, String(number).padStart(2, '0'), day.padStart(2, '0')].join('-');
}

/** Currency symbols by ISO 4217 code. */
const SIGNS: Record<string, RegExp> = {
  EUR: /€|\beuros?\b/i,
  GBP: /£/,
  USD: /\$/,
  CAD: /\$/,
  AUD: /\$/,
  NZD: /\$/,
  SGD: /\$/,
  HKD: /\$/,
  MXN: /\$/,
  BRL: /R\$/,
  JPY: /¥|円/,
  CNY: /¥|元/,
  INR: /₹/,
  KRW: /₩/,
  TRY: /₺/,
  ILS: /₪/,
  CHF: /\bFr\./,
  SEK: /\bkr\b|:-/i,
  NOK: /\bkr\b|,-/i,
  DKK: /\bkr\b|,-/i,
  PLN: /zł/i,
  CZK: /Kč/i,
  HUF: /\bFt\b/,
};

/** Whether a text contains the code or a symbol of the currency. */
export const namesCurrency = (text: string, code: string): boolean =>
  new RegExp(`(?<![A-Za-z])${code}(?![A-Za-z])`, 'i').test(text) || SIGNS[code]?.test(text) === true;

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

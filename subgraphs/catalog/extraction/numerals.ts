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

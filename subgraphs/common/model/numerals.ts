/** Groups of three may be set apart by a comma, point, space or apostrophe; the last mark may begin the decimals. */
const NUMERAL = /\d+(?:[.,'’\s]\d{3})*(?:[.,]\d{1,4})?/g;

/** Every number that a text can be read to state: `1.299,00` is 1299, `1.299` is 1299 or 1.299. */
export function numbersIn(text: string): Set<number> {
  const found = new Set<number>();
  for (const [numeral] of text.matchAll(NUMERAL)) {
    const [, whole, decimals] = /^(.*?)(?:[.,](\d+))?$/s.exec(numeral)!;
    const digits = (each: string) => each.replace(/\D/g, '');
    if (decimals) found.add(Number(`${digits(whole!)}.${decimals}`));
    if (!decimals || decimals.length === 3) found.add(Number(digits(numeral)));
    // 'Pack of 2 500 ml' is two numbers as well as one.
    for (const part of numeral.split(/\s/)) if (/^\d+([.,]\d{1,2})?$/.test(part)) found.add(Number(part.replace(',', '.')));
  }
  return found;
}

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

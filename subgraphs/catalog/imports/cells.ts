import { cleanAll } from '../../../platform/reading/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { attributeLimits } from '../../../schema/scalars.ts';
import { isCalendarDay, isLonger, storable } from '../../../schema/text.ts';
import type { AttributeContent } from '../attributes/attribute-content.ts';
import type { Attribute } from '../attributes/entity.ts';
import { optionsLabeled } from '../attributes/translation.ts';
import { withoutNulls } from '../enrichment/ask-model.ts';
import { checkValue, isPlaceholder } from '../extraction/constraints.ts';
import { dateFrom } from '../extraction/literals.ts';
import { factorBetween, unitOf } from '../extraction/unit-conversion.ts';
import { type DecimalMark, numeralOf } from '../uploads/decimal-marks.ts';
import type { ImportValue } from './data.ts';

/** The parts of an attribute that decide how a cell is read. */
export type CellAttribute = Pick<Attribute, 'id' | 'slug' | 'name' | 'type' | 'unit' | 'options' | 'constraints'> &
  Partial<Pick<Attribute, 'translations'>>;

/** How the cells of a column are written. */
export interface CellFormat {
  mark: DecimalMark;
  /** The unit of cells that state none. */
  unit: string | null;
}

/** The value of a cell; null if the cell has none. Or a question to a person, with the possible readings. */
type CellReading = { value: AttributeContent } | { question: string; readings: AttributeContent[] };

const ask = (question: string, readings: AttributeContent[] = []): CellReading => ({ question, readings });

/** Converts a cell to the type and unit of an attribute. A cell that has two readings or breaks a limit is a question. */
export function readCell(cell: string, attribute: CellAttribute, format: CellFormat): CellReading {
  const text = storable(cell).trim();
  if (text === '' || (isPlaceholder(text) && !attribute.options.includes(text))) return { value: null };
  if (isLonger(text, attributeLimits.text)) return ask('The cell is too long.');
  const reading = readers[attribute.type](text, attribute, format);
  if (!('value' in reading)) return reading;
  const { type, options, constraints } = attribute;
  // Values may also be times, which jobs do not write.
  if (type === 'date') return reading;
  const fault = checkValue({ type, options, constraints: withoutNulls(constraints) }, reading.value);
  return fault ? ask(`The value ${fault}.`, [reading.value]) : reading;
}

type CellReader = (text: string, attribute: CellAttribute, format: CellFormat) => CellReading;

const readers: Record<Attribute['type'], CellReader> = {
  text: (text) => ({ value: text }),
  html: (text) => ({ value: text }),
  number: readNumber,
  date: readDate,
  boolean(text) {
    const word = text.toLowerCase();
    if (YES.has(word)) return { value: true };
    return NO.has(word) ? { value: false } : ask('The cell is neither yes nor no.', [true, false]);
  },
  select(text, attribute) {
    const label = attribute.options.length > 0 ? optionOf(text, attribute) : text;
    return label === undefined ? ask('The cell is none of the options.') : { value: label };
  },
  multiselect(text, attribute) {
    const { options } = attribute;
    const whole = optionOf(text, attribute);
    if (whole !== undefined) return { value: [whole] };
    const separator = [';', '|', '\n'].find((each) => text.includes(each)) ?? ',';
    const parts = text.split(separator).flatMap((part) => part.trim() || []);
    const labels = options.length > 0 ? parts.map((part) => optionOf(part, attribute)) : parts;
    const known = [...new Set(labels.filter((label) => label !== undefined))];
    return labels.includes(undefined) ? ask('The cell has labels that are none of the options.', [known]) : { value: known };
  },
};

const YES = new Set(['yes', 'y', 'true', '1', 'x', 'ja', 'j', 'wahr', 'oui', 'si', 'sí']);
const NO = new Set(['no', 'n', 'false', '0', 'nein', 'falsch', 'non']);

/** The option with this spelling, or the only one that differs in case or has this label in another language. */
function optionOf(text: string, attribute: CellAttribute): string | undefined {
  const { options } = attribute;
  if (options.includes(text)) return text;
  const labeled = optionsLabeled(text, attribute).filter((each) => options.includes(each));
  const alike = [...new Set([...options.filter((each) => each.toLowerCase() === text.toLowerCase()), ...labeled])];
  return alike.length === 1 ? alike[0] : undefined;
}

function readNumber(text: string, { unit: wanted }: CellAttribute, { mark, unit: usual }: CellFormat): CellReading {
  const numeral = numeralOf(text);
  const at = text.indexOf(numeral);
  const [before, after] = [text.slice(0, at).trim(), text.slice(at + numeral.length).trim()];
  const sign = /[-−]$/.test(before) ? -1 : 1;
  const stated = [before.replace(/[-−+]$/, '').trim(), after].filter(Boolean);
  const numbers = readingsOf(numeral, mark).map((number) => sign * number);
  if (numeral === '' || numbers.length === 0 || stated.length > 1) return ask('The cell is no number.');
  const unit = stated[0] ?? usual;
  const factor = unit === null ? 1 : conversion(unit, wanted);
  if (factor === undefined)
    return ask(
      wanted ? `The cell is in ${unit}, and the attribute in ${wanted}.` : `The attribute has no unit for ${unit}.`,
      numbers,
    );
  const [number, ...others] = numbers.map((each) => rounded(each * factor));
  return others.length > 0 ? ask('The cell has two readings.', [number!, ...others]) : { value: number! };
}

/** Without a unit of the attribute, the number of a price, a share or a count is clear. */
function conversion(unit: string, wanted: string | null): number | undefined {
  if (wanted) return factorBetween(unit, wanted);
  return ['share', 'count', 'eur', 'usd', 'gbp', 'chf'].includes(unitOf(unit)?.dimension ?? '') ? 1 : undefined;
}

/** Conversions must not show the errors of binary fractions. */
const rounded = (number: number): number => Number(number.toPrecision(14));

/** All numbers that a numeral can mean: `1.000` is 1 or 1000, unless the column shows its decimal mark. */
function readingsOf(numeral: string, mark: DecimalMark): number[] {
  const digits = numeral.replace(/(?<=\d)[\s'’](?=\d{3}(?!\d))/g, '');
  if (!/^\d+(?:[.,]\d+)*$/.test(digits) || digits.length > 30) return [];
  const marks = (mark ? [mark] : (['.', ','] as const)).map((decimal) => {
    const group = decimal === '.' ? ',' : '.';
    const [whole = '', decimals = '', ...more] = digits.split(decimal);
    const groups = whole.split(group);
    const isGrouped = groups.length === 1 || (groups[0]!.length <= 3 && groups.slice(1).every((each) => each.length === 3));
    if (
      more.length > 0 ||
      !isGrouped ||
      /[.,]/.test(decimals) ||
      /^0\d/.test(groups.join('')) ||
      (groups.length > 1 && groups[0] === '0')
    )
      return undefined;
    return Number(`${groups.join('')}${decimals && `.${decimals}`}`);
  });
  return [...new Set(marks.filter((number) => number !== undefined))];
}

const DAY_FIRST = /^(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})$/;
const SLASHES = /^(\d{1,2})[/-](\d{1,2})[/-](\d{4})$/;

function readDate(text: string): CellReading {
  const iso = (year: string, month: string, day: string) => `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const [, day, month, year] = DAY_FIRST.exec(text) ?? [];
  const [, one, two, years] = SLASHES.exec(text) ?? [];
  const days = day
    ? [iso(year!, month!, day)]
    : one
      ? [iso(years!, two!, one), iso(years!, one, two!)]
      : [/^\d{4}-\d\d-\d\dT/.test(text) ? text : (dateFrom(text) ?? '')];
  const readings = [...new Set(days)].filter((each) => isCalendarDay(each.slice(0, 10)));
  if (readings.length === 0) return ask('The cell is no date.');
  return readings.length > 1 ? ask('The cell has two readings.', readings) : { value: readings[0]! };
}

/** Sanitizes the HTML of values that cells state. Throws `INVALID_INPUT` for HTML that cannot be read within the limits. */
export async function cleanValues({ organizationId }: Scope, values: readonly ImportValue[]): Promise<void> {
  const html = values.filter(({ attributeType }) => attributeType === 'html');
  const cleaned = await cleanAll(
    organizationId,
    html.map(({ value }) => value as string),
  );
  for (const [at, value] of html.entries()) value.value = cleaned[at]!;
}

import { escaped } from './synonyms.ts';

interface Unit {
  dimension: string;
  factor: number;
}

/** By dimension: the spellings of each unit, and its factor to the first unit of the dimension. */
const TABLE: Record<string, [spellings: string, factor: number][]> = {
  mass: [
    ['kg|kgs|kilo|kilos|kilogram|kilograms|kilogramme', 1],
    ['mg|milligram', 1e-6],
    ['g|gr|gram|grams|gramme|grammes', 0.001],
    ['lb|lbs|pound|pounds', 0.45359237],
    ['oz|ounce|ounces', 0.028349523],
  ],
  length: [
    ['m|metre|metres|meter|meters', 1],
    ['cm|centimetre|centimetres|centimeter|centimeters', 0.01],
    ['mm|millimetre|millimetres|millimeter|millimeters', 0.001],
    ['inch|inches|in|″|"', 0.0254],
    ['ft|foot|feet', 0.3048],
  ],
  volume: [
    ['l|litre|litres|liter|liters|ltr', 1],
    ['ml|millilitre|millilitres|milliliter', 0.001],
    ['cl', 0.01],
    ['dl', 0.1],
    ['fl oz|fluid ounces|fl. oz', 0.0295735],
    ['gal|gallon|gallons', 3.785411784],
  ],
  power: [
    ['W|watt|watts', 1],
    ['kW|kilowatt|kilowatts', 1000],
    ['hp|horsepower', 745.7],
  ],
  voltage: [['V|volt|volts', 1]],
  duration: [
    ['year|years|yr|yrs', 1],
    ['month|months', 1 / 12],
    ['week|weeks', 7 / 365],
    ['day|days', 1 / 365],
  ],
  time: [
    ['h|hour|hours|hrs', 1],
    ['min|minute|minutes', 1 / 60],
    ['s|sec|second|seconds', 1 / 3600],
  ],
  energy: [
    ['Wh', 1],
    ['kWh', 1000],
  ],
  charge: [
    ['Ah', 1],
    ['mAh', 0.001],
  ],
  light: [['lm|lumen|lumens', 1]],
  torque: [['Nm', 1]],
  noise: [['dB|dB(A)', 1]],
  temperature: [['°C|degrees Celsius', 1]],
  speed: [['rpm|rev/min|min-1', 1]],
};

const units = new Map<string, Unit>(
  Object.entries(TABLE).flatMap(([dimension, rows]) =>
    rows.flatMap(([spellings, factor]) =>
      spellings.split('|').map((each): [string, Unit] => [each.toLowerCase(), { dimension, factor }]),
    ),
  ),
);
const spellings = [...units.keys()].sort((a, b) => b.length - a.length);

const WORDS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];
export const NUMBER = String.raw`(?:\d{1,3}(?:[,'’]\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?)`;
const quantity = new RegExp(
  `(?<![\\p{L}\\p{N}.,]|\\d['’])(${NUMBER}|${WORDS.join('|')})[\\s\\u00a0-]?(${spellings.map(escaped).join('|')})(?![\\p{L}\\p{N}])`,
  'giu',
);

export interface Quantity {
  amount: number;
  unit: string;
  start: number;
  end: number;
}

export const readNumber = (text: string) => {
  const word = WORDS.indexOf(text.toLowerCase());
  // A comma before three digits groups thousands; any other comma is a decimal separator.
  return word >= 0 ? word : Number(/[,'’]\d{3}(?!\d)/.test(text) ? text.replace(/[,'’]/g, '') : text.replace(',', '.'));
};

/** Every amount with a unit. Skips ranges and alternatives such as 'from 62 to 127 cm' and '38 or 48 litres'. */
export function quantitiesIn(text: string): Quantity[] {
  const found = [...text.matchAll(quantity)].map(({ 0: all, 1: amount = '', 2: unit = '', index }) => ({
    amount: readNumber(amount),
    unit,
    start: index,
    end: index + all.length,
  }));
  const single = found.filter(
    ({ start, end }) =>
      !RANGE_BEFORE.test(text.slice(Math.max(0, start - 40), start)) && !RANGE_AFTER.test(text.slice(end, end + 40)),
  );
  return joined(
    single.filter(
      ({ unit, end }) =>
        unit.toLowerCase() !== 'in' || /^(?:$|[.,;)]|\s*[x×]|\s+(?:wide|tall|high|deep|long))/.test(text.slice(end, end + 40)),
    ),
    text,
  );
}

const RANGE_BEFORE = new RegExp(`${NUMBER}(?:\\s*[\\p{L}"]{0,4}\\s*(?:[–—-]|\\bto\\b)|\\s+(?:and|or))\\s*$`, 'u');
const RANGE_AFTER = new RegExp(`^\\s*(?:[–—-]|to)\\s*${NUMBER}`, 'u');

/** '2 lb 4 oz' is one amount. */
function joined(quantities: Quantity[], text: string): Quantity[] {
  const all: Quantity[] = [];
  for (const next of quantities) {
    const last = all.at(-1);
    const [big, small] = [units.get(last?.unit.toLowerCase() ?? ''), units.get(next.unit.toLowerCase())];
    const follows =
      last &&
      big &&
      small &&
      big.dimension === small.dimension &&
      big.factor > small.factor &&
      text.slice(last.end, next.start) === ' ';
    if (follows) all[all.length - 1] = { ...last, amount: last.amount + (next.amount * small.factor) / big.factor, end: next.end };
    else all.push(next);
  }
  return all;
}

export const dimensionOf = (unit: string | null | undefined) => units.get((unit ?? '').toLowerCase())?.dimension;

/** Converts an amount within a dimension and rounds floating-point noise. Returns undefined across dimensions. */
export function convert(amount: number, from: string, to: string): number | undefined {
  const [given, wanted] = [units.get(from.toLowerCase()), units.get(to.toLowerCase())];
  if (!given || !wanted || given.dimension !== wanted.dimension) return undefined;
  return given === wanted ? amount : Number(((amount * given.factor) / wanted.factor).toPrecision(4));
}

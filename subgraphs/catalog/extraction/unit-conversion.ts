/** Names of units with their dimension and their size in the first unit of the dimension. */
const DIMENSIONS: Record<string, [factor: number, ...names: string[]][]> = {
  mass: [
    [1, 'g', 'gr', 'gram', 'grams', 'gramm'],
    [0.001, 'mg', 'milligram', 'milligrams', 'milligramm'],
    [1_000, 'kg', 'kgs', 'kilo', 'kilogram', 'kilograms', 'kilogramm'],
    [1_000_000, 't', 'to', 'tonne', 'tonnes', 'tonnen'],
    [28.349523125, 'oz', 'ounce', 'ounces', 'unze', 'unzen'],
    [453.59237, 'lb', 'lbs', 'pound', 'pounds'],
  ],
  length: [
    [1, 'mm', 'millimeter', 'millimeters', 'millimetre', 'millimetres'],
    [10, 'cm', 'centimeter', 'centimeters', 'centimetre', 'centimetres', 'zentimeter'],
    [1_000, 'm', 'meter', 'meters', 'metre', 'metres'],
    [0.000001, 'nm'],
    [1_000_000, 'km', 'kilometer', 'kilometers', 'kilometre', 'kilometres'],
    [25.4, 'in', 'inch', 'inches', 'zoll', '"', '″'],
    [304.8, 'ft', 'foot', 'feet', 'fuß'],
  ],
  volume: [
    [1, 'ml', 'milliliter', 'milliliters', 'millilitre', 'millilitres'],
    [10, 'cl', 'centiliter', 'zentiliter'],
    [1_000, 'l', 'liter', 'liters', 'litre', 'litres', 'ltr'],
  ],
  area: [
    [1, 'cm²', 'cm2'],
    [10_000, 'm²', 'm2', 'qm'],
  ],
  power: [
    [1, 'W', 'watt', 'watts'],
    [0.001, 'mW'],
    [1_000, 'kW', 'kilowatt', 'kilowatts'],
    [1_000_000, 'MW'],
  ],
  energy: [
    [1, 'Wh'],
    [1_000, 'kWh'],
  ],
  voltage: [
    [1, 'V', 'volt', 'volts'],
    [0.001, 'mV'],
    [1_000, 'kV'],
  ],
  current: [
    [1, 'A', 'ampere', 'amperes', 'amp', 'amps'],
    [0.001, 'mA'],
  ],
  charge: [
    [1, 'Ah'],
    [0.001, 'mAh'],
  ],
  frequency: [
    [1, 'Hz', 'hertz'],
    [1_000, 'kHz'],
    [1_000_000, 'MHz'],
    [1_000_000_000, 'GHz'],
  ],
  time: [
    [1, 's', 'sec', 'second', 'seconds', 'sekunde', 'sekunden'],
    [60, 'min', 'minute', 'minutes', 'minuten'],
    [3_600, 'h', 'hr', 'hour', 'hours', 'stunde', 'stunden', 'std'],
  ],
  age: [
    [1, 'month', 'months', 'monat', 'monate', 'monaten'],
    [12, 'year', 'years', 'yr', 'yrs', 'jahr', 'jahre', 'jahren'],
  ],
  data: [
    [1, 'MB'],
    [0.001, 'kB'],
    [1_000, 'GB'],
    [1_000_000, 'TB'],
  ],
  torque: [[1, 'Nm', 'N·m']],
  rotation: [[1, 'rpm', 'r/min', 'U/min', '1/min', 'min⁻¹', 'min-1']],
  level: [[1, 'dB', 'dB(A)', 'decibel', 'dezibel']],
  share: [[1, '%', 'percent', 'prozent']],
  count: [[1, 'pcs', 'pc', 'piece', 'pieces', 'stück', 'stk', 'st']],
  eur: [[1, 'EUR', '€', 'euro', 'euros']],
  usd: [[1, 'USD', '$', 'dollar', 'dollars']],
  gbp: [[1, 'GBP', '£']],
  chf: [[1, 'CHF', 'fr', 'sfr']],
};

interface Unit {
  dimension: string;
  factor: number;
}

const exact = new Map<string, Unit>();
const folded = new Map<string, Unit | null>();
for (const [dimension, units] of Object.entries(DIMENSIONS)) {
  for (const [factor, ...names] of units) {
    for (const name of names) {
      const key = name.toLowerCase();
      exact.set(name, { dimension, factor });
      // `mW` and `MW` differ only in case.
      folded.set(key, folded.has(key) ? null : { dimension, factor });
    }
  }
}

/** The unit of this name, with a period or without; undefined if it is unknown or could be two units. */
export function unitOf(text: string): Unit | undefined {
  const name = text.trim().replace(/\.$/, '');
  return exact.get(name) ?? folded.get(name.toLowerCase()) ?? undefined;
}

/** The factor by which a number in one unit becomes one in another; undefined if the units do not measure the same. */
export function factorBetween(from: string, to: string): number | undefined {
  if (from.trim().toLowerCase() === to.trim().toLowerCase() && !isCased(from, to)) return 1;
  const [source, target] = [unitOf(from), unitOf(to)];
  return source && target && source.dimension === target.dimension ? source.factor / target.factor : undefined;
}

const isCased = (a: string, b: string) => a.trim() !== b.trim() && folded.get(a.trim().toLowerCase()) === null;

/** Product texts, requested attributes, and the constant model response of the benchmark. */
export const SOURCE = `Color: red. Weight: 2.4 kg. Material: oak. Cordless: yes.
A sturdy piece for daily use, made in small series and packed without plastic. It comes with a warranty of five years, spare
parts are kept for ten, and the manual is printed on recycled paper. Delivered in one box, ready to use in a few minutes.`;

export const attributes = [
  { slug: 'color', name: 'Color', type: 'text', options: [], unit: null },
  { slug: 'weight', name: 'Weight', type: 'number', options: [], unit: 'kg' },
  { slug: 'material', name: 'Material', type: 'select', options: ['oak', 'beech', 'steel'], unit: null },
  { slug: 'cordless', name: 'Cordless', type: 'boolean', options: [], unit: null },
] as const;

const found = (value: unknown, quote: string) => ({ value, confidence: 95, source: 's1', quote });

export const reply = {
  color: found('red', 'Color: red'),
  weight: found(2.4, 'Weight: 2.4 kg'),
  material: found('oak', 'Material: oak'),
  cordless: found(true, 'Cordless: yes'),
};

const confirmed = (quote: string) => ({
  verdict: 'confirmed',
  confidence: 95,
  source: 's1',
  quote,
  explanation: 'The source says the same.',
});

export const verdicts = {
  color: confirmed('Color: red'),
  weight: confirmed('Weight: 2.4 kg'),
  material: confirmed('Material: oak'),
  cordless: confirmed('Cordless: yes'),
};

const offer = { price: 24.9, originalPrice: 29.9, currency: 'EUR', availability: 'in_stock' };

/** URLs of the three pages that each search returns. */
export const offers = { s1: offer, s2: offer, s3: offer };

import { readReply } from '../../subgraphs/catalog/extraction/extract-attributes.ts';
import type { AttributeRequest } from '../../subgraphs/catalog/extraction/extraction-prompt.ts';

const attribute = (more: Partial<AttributeRequest> = {}): AttributeRequest => ({
  id: 'a',
  slug: 'a',
  name: 'A',
  type: 'text',
  prompt: '',
  options: [],
  constraints: {},
  ...more,
});

interface Reply {
  value: unknown;
  quote?: string | null;
  derived?: string | null;
}

function judge(reply: Reply, text: string, more?: Partial<AttributeRequest>, known?: string[]) {
  const material = {
    product: {},
    existing: {},
    sources: [{ id: 's1', kind: 'text' as const, url: null, text }],
    ...(known && { known: { a: known } }),
  };
  const wanted = attribute(more);
  const { values } = readReply(
    JSON.stringify({ a: { source: 's1', quote: null, confidence: 90, ...reply } }),
    new Map([['a', wanted]]),
    material,
  );
  const { evidence, confidence, isNew } = values.get(wanted)!;
  return { evidence, confidence, isNew };
}

test.each<[string, Reply, string, Partial<AttributeRequest>, string, number]>([
  ['contains the value', { value: 'Oak', quote: 'made of oak.' }, 'A table made of oak.', {}, 'quoted', 90],
  ['contains the number', { value: 1.5, quote: '1,5 kg' }, 'Weight 1,5 kg', { type: 'number', unit: 'kg' }, 'quoted', 90],
  ['has another unit', { value: 0.85, quote: '850 g' }, 'Weight 850 g', { type: 'number', unit: 'kg' }, 'derived', 90],
  ['answers yes or no', { value: true, quote: 'waterproof' }, 'It is waterproof', { type: 'boolean' }, 'derived', 90],
  [
    'contains every entry',
    { value: ['S', 'L'], quote: 'sizes S and L' },
    'In sizes S and L',
    { type: 'multiselect' },
    'quoted',
    90,
  ],
  ['states the unit differently', { value: '2 kg', quote: '2000 g', derived: 'unit' }, '2000 g', {}, 'derived', 90],
  ['has no reason for another text', { value: 'Steel', quote: 'brushed metal' }, 'brushed metal', {}, 'unsupported', 20],
  [
    'claims a reason that does not fit',
    { value: 'Steel', quote: 'brushed metal', derived: 'unit' },
    'brushed metal',
    {},
    'unsupported',
    20,
  ],
  ['claims to be written without a prompt', { value: 'Steel', quote: 'metal', derived: 'written' }, 'metal', {}, 'unsupported', 20],
  ['is part of another word', { value: 'red', quote: 'covered in dust' }, 'covered in dust', {}, 'unsupported', 20],
  ['is invented, but the source has the value', { value: 'oak', quote: 'solid oak wood' }, 'A table of oak', {}, 'stated', 50],
  ['is invented like the value', { value: 'oak', quote: 'solid oak wood' }, 'A table', {}, 'unsupported', 20],
  ['is missing, but the source has the value', { value: 'oak' }, 'A table of oak', {}, 'stated', 90],
])('a quote that %s', (_, reply, text, more, evidence, confidence) => {
  expect(judge(reply, text, more)).toEqual({ evidence, confidence, isNew: false });
});

test('a known spelling is derived from its synonym, and other values are marked as new', () => {
  const known = ['Navy', 'Red'];
  const spelled = { value: 'Navy', quote: 'navy-blue', derived: 'spelling' };
  expect(judge(spelled, 'a navy-blue coat', {}, known)).toMatchObject({ evidence: 'quoted', isNew: false });
  expect(judge({ ...spelled, value: 'Red', quote: 'crimson' }, 'a crimson coat', {}, known)).toMatchObject({
    evidence: 'derived',
    isNew: false,
  });
  expect(judge({ value: 'teal', quote: 'teal' }, 'a teal coat', {}, known)).toMatchObject({ evidence: 'quoted', isNew: true });
});

import { readValue } from '../../subgraphs/catalog/extraction/constraints.ts';
import type { AttributeRequest } from '../../subgraphs/catalog/extraction/extraction-prompt.ts';

type Value = string | number | boolean | string[] | null;

const rule = (type: AttributeRequest['type'], more: Partial<AttributeRequest> = {}): AttributeRequest => ({
  ...{ id: type, slug: type, name: type, type, prompt: '', options: [], constraints: {} },
  ...more,
});
const range = (count: number) => Array.from({ length: count }, (_, at) => at);

/** The rules that may change a value of a reply. Every other difference is a fault. */
type Change =
  | 'unchanged'
  | 'white space around a text'
  | 'placeholder becomes null'
  | 'number or boolean as text'
  | 'numeral with separators'
  | 'unit of the attribute'
  | 'date format'
  | 'yes and no'
  | 'case of an option'
  | 'single entry becomes a list'
  | 'repeated or foreign entries'
  | 'sanitized HTML';
type Recorded = [AttributeRequest, raw: unknown, expected: Value, Change];

const text = rule('text');
const kilograms = rule('number', { unit: 'kg' });
const date = rule('date');
const yesNo = rule('boolean');
const color = rule('select', { options: ['Red', 'Navy Blue', 'Off-White'] });
const sizes = rule('multiselect', { options: ['S', 'M', 'L', 'XL'] });
const free = rule('multiselect');
const html = rule('html');

const WORDS = [
  'naïve café',
  'Größe 42',
  'ﬁne-grain',
  '日本語',
  'K-Cup® Pods',
  'S’mores',
  '½ inch',
  'a/b; c, d',
  '"quoted"',
  'C++',
  '100%',
  '<5 kg',
  'None',
  '0',
  '-',
];
/** Replies in the spellings that models and shops use. */
const replies: Recorded[] = [
  ...range(150).map((at): Recorded => [text, `${WORDS[at % 14]} ${at}`, `${WORDS[at % 14]} ${at}`, 'unchanged']),
  ...range(40).map((at): Recorded => [text, `${at}–${at + 2.5} kg`, `${at}–${at + 2.5} kg`, 'unchanged']),
  ...range(40).map((at): Recorded => [text, ` ${WORDS[at % 12]}\n`, WORDS[at % 12]!, 'white space around a text']),
  ...range(30).map((at): Recorded => [text, at + 0.25, String(at + 0.25), 'number or boolean as text']),
  ...['n/a', 'Unknown', 'not specified', '(N/A)', '-', '—', '?', 'null', 'TBD', ' '].map(
    (raw): Recorded => [text, raw, null, 'placeholder becomes null'],
  ),
  ...range(120).map((at): Recorded => [kilograms, at / 8 - 3, at / 8 - 3, 'unchanged']),
  ...range(40).map((at): Recorded => [kilograms, `${at}.5 kg`, at + 0.5, 'unit of the attribute']),
  ...range(40).map((at): Recorded => [kilograms, `${at + 1},250.5`, 1000 * (at + 1) + 250.5, 'numeral with separators']),
  ...range(30).map((at): Recorded => [kilograms, `${at}e1`, at * 10, 'number or boolean as text']),
  ...range(60).map(
    (at): Recorded => [
      date,
      `20${10 + (at % 15)}-0${1 + (at % 9)}-1${at % 10}`,
      `20${10 + (at % 15)}-0${1 + (at % 9)}-1${at % 10}`,
      'unchanged',
    ],
  ),
  ...range(28).map((at): Recorded => [date, `${at + 1} March 2024`, `2024-03-${String(at + 1).padStart(2, '0')}`, 'date format']),
  ...range(12).map((at): Recorded => [date, `2024/${at + 1}/5`, `2024-${String(at + 1).padStart(2, '0')}-05`, 'date format']),
  ...range(40).map((at): Recorded => [yesNo, at % 2 === 0, at % 2 === 0, 'unchanged']),
  ...range(40).map((at): Recorded => [yesNo, ['yes', 'No', 'TRUE', 'false'][at % 4], at % 2 === 0, 'yes and no']),
  ...range(60).map((at): Recorded => [color, color.options[at % 3], color.options[at % 3]!, 'unchanged']),
  ...range(60).map((at): Recorded => [color, color.options[at % 3]!.toUpperCase(), color.options[at % 3]!, 'case of an option']),
  ...range(60).map((at): Recorded => [sizes, sizes.options.slice(at % 3), [...sizes.options.slice(at % 3)], 'unchanged']),
  ...range(30).map((at): Recorded => [sizes, sizes.options[at % 4], [sizes.options[at % 4]!], 'single entry becomes a list']),
  ...range(30).map(
    (at): Recorded => [
      sizes,
      ['S', 'S', 'huge', sizes.options[1 + (at % 3)]],
      ['S', sizes.options[1 + (at % 3)]!],
      'repeated or foreign entries',
    ],
  ),
  ...range(40).map((at): Recorded => [free, [`${WORDS[at % 12]}`, `entry ${at}`], [WORDS[at % 12]!, `entry ${at}`], 'unchanged']),
  ...range(30).map(
    (at): Recorded => [
      html,
      `<p>Room for <strong>${at}</strong> pods</p>`,
      `<p>Room for <strong>${at}</strong> pods</p>`,
      'unchanged',
    ],
  ),
  ...range(10).map((at): Recorded => [html, `<p onclick="x()">${at}<script>y()</script></p>`, `<p>${at}</p>`, 'sanitized HTML']),
];

test('a thousand recorded replies come out as given, except for changes that a rule names', () => {
  expect(replies).toHaveLength(1_000);
  const wrong = replies.flatMap(([attribute, raw, expected]) => {
    const reading = readValue(attribute, raw);
    return 'fault' in reading || JSON.stringify(reading.value) !== JSON.stringify(expected)
      ? [{ type: attribute.type, raw, expected, reading }]
      : [];
  });
  expect(wrong).toEqual([]);
});

test('the changes of the recorded replies are counted by rule', () => {
  const changed = replies.filter(([, raw, expected]) => JSON.stringify(raw) !== JSON.stringify(expected));
  expect(changed.filter(([, , , change]) => change === 'unchanged')).toEqual([]);
  const counts = Object.fromEntries(
    [...Map.groupBy(changed, ([, , , change]) => change)].map(([change, { length }]) => [change, length]),
  );
  expect(counts).toEqual({
    'white space around a text': 40,
    'number or boolean as text': 60,
    'placeholder becomes null': 10,
    'unit of the attribute': 40,
    'numeral with separators': 40,
    'date format': 40,
    'yes and no': 40,
    'case of an option': expect.any(Number),
    'single entry becomes a list': 30,
    'repeated or foreign entries': 30,
    'sanitized HTML': 10,
  });
});

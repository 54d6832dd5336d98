import { checkValue, readValue } from '../../subgraphs/catalog/extraction/constraints.ts';
import type { Rule } from '../../subgraphs/catalog/extraction/extraction-prompt.ts';

const rule = (type: Rule['type'], constraints: Rule['constraints'] = {}, options: string[] = []): Rule => ({
  type,
  constraints,
  options,
});
const colors = ['Red', 'Dark Blue'];

test.each<[Rule, unknown, unknown]>([
  [rule('number'), '12.50', 12.5],
  [rule('number'), ' -3 ', -3],
  [rule('number'), null, null],
  [rule('number'), '', null],
  [rule('boolean'), 'YES', true],
  [rule('boolean'), 'false', false],
  [rule('select', {}, colors), 'dark blue', 'Dark Blue'],
  [rule('select'), 'anything', 'anything'],
  [rule('multiselect', {}, colors), ['red', 'RED', 'Dark Blue'], ['Red', 'Dark Blue']],
  [rule('multiselect', {}, colors), 'red', ['Red']],
  [rule('multiselect', {}, colors), [], null],
  [rule('date'), '2024-02-29', '2024-02-29'],
  [rule('text'), '  oak ', 'oak'],
  [rule('text'), 12, '12'],
  [rule('text', { maxLength: 3 }), 'oak', 'oak'],
  [rule('html', { maxWords: 2 }), '<p>two <b>words</b></p>', '<p>two <b>words</b></p>'],
  [rule('html'), '<p onclick="x()">Hi</p>', '<p>Hi</p>'],
  [rule('html'), '<script>x()</script>', null],
  [rule('select', {}, ['red', 'Red']), 'Red', 'Red'],
  [rule('select', {}, ['red', 'Red']), 'red', 'red'],
  [rule('select', {}, ['41', '42']), 41, '41'],
  [rule('multiselect', {}, ['red', 'Red']), ['Red', 'red'], ['Red', 'red']],
  [rule('multiselect', {}, colors), ['Red', 'Green'], ['Red']],
  [rule('multiselect', {}, colors), ['n/a'], null],
  [rule('text', { maxLength: 5 }), '😀'.repeat(5), '😀'.repeat(5)],
  [rule('number'), '1,234', 1234],
  [rule('number'), '-1,234,567.5', -1234567.5],
  [rule('number'), '1.234,5', 1234.5],
  [rule('number'), '1.234.567', 1234567],
  [rule('number'), '1.234', 1.234],
  [rule('number'), '1 234', 1234],
  [rule('number'), '1’234', 1234],
  [rule('number'), '1e3', 1000],
  [{ ...rule('number'), unit: 'oz' } as Rule, '24.2 oz', 24.2],
  [{ ...rule('number'), unit: 'oz' } as Rule, '24.2 OZ.', 24.2],
  [{ ...rule('number'), unit: 'oz' } as Rule, '1,024 ounces', 1024],
  [{ ...rule('number'), unit: '%' } as Rule, '12%', 12],
  [{ ...rule('number'), unit: 'in' } as Rule, '12"', 12],
  [{ ...rule('number'), unit: 'kg' } as Rule, '−3kg', -3],
  [rule('date'), '2024-05-01T00:00:00Z', '2024-05-01'],
  [rule('date'), '2024-05-01 23:59:59+02:00', '2024-05-01'],
  [rule('date'), '12 March 2024', '2024-03-12'],
  [rule('date'), 'March 3rd, 2024', '2024-03-03'],
])('%j reads %j as %j', (attribute, given, value) => {
  expect(readValue(attribute, given)).toEqual({ value });
});

test.each<[Rule, unknown, string]>([
  [rule('number'), '1,5', 'must be a number'],
  [rule('number'), '1.5 kg', 'must be a number'],
  [rule('number'), Number.NaN, 'must be a number'],
  [rule('number'), Number.POSITIVE_INFINITY, 'must be a number'],
  [rule('number', { min: 0 }), -1, 'must be at least 0'],
  [rule('number', { max: 10 }), '11', 'must be at most 10'],
  [rule('boolean'), 'maybe', 'must be true or false'],
  [rule('boolean'), 1, 'must be true or false'],
  [rule('date'), '2023-02-29', 'must be a date as YYYY-MM-DD'],
  [rule('date'), '01.02.2024', 'must be a date as YYYY-MM-DD'],
  [rule('date'), '2024-13-01', 'must be a date as YYYY-MM-DD'],
  [rule('date'), '2024', 'must be a date as YYYY-MM-DD'],
  [rule('date'), '03/04/2024', 'must be a date as YYYY-MM-DD'],
  [rule('date'), '2024-02-30T00:00:00Z', 'must be a date as YYYY-MM-DD'],
  [rule('select', {}, colors), 'Green', 'must be one of Red, Dark Blue'],
  [rule('select', {}, colors), ['Red'], 'must be one of its options'],
  [rule('multiselect', {}, colors), ['Pink', 'Green'], 'must be one of Red, Dark Blue'],
  [rule('multiselect', { minItems: 2 }, colors), ['Red', 'Green'], 'must have at least 2 entries and has 1'],
  [rule('select', {}, ['red', 'Red']), 'RED', 'must be one of red, Red'],
  [rule('number'), '0,234', 'must be a number'],
  [rule('number'), '12,34', 'must be a number'],
  [rule('number'), '10-12', 'must be a number'],
  [rule('number'), '10 12', 'must be a number'],
  [{ ...rule('number'), unit: 'oz' } as Rule, '24.2 g', 'must be a number'],
  [{ ...rule('number'), unit: 'MW' } as Rule, '3 mW', 'must be a number'],
  [rule('multiselect', {}, colors), { Red: true }, 'must be a list'],
  [rule('multiselect', { maxItems: 1 }, colors), colors, 'must have at most 1 entries and has 2'],
  [rule('multiselect', { minItems: 2 }, colors), ['Red'], 'must have at least 2 entries and has 1'],
  [rule('text', { maxLength: 3 }), 'pine', 'must have at most 3 characters and has 4'],
  [rule('text', { minLength: 5 }), 'pine', 'must have at least 5 characters and has 4'],
  [rule('text', { maxWords: 1 }), 'two words', 'must have at most 1 words and has 2'],
  [rule('html', { minWords: 3 }), '<p>two <b>words</b></p>', 'must have at least 3 words and has 2'],
  [rule('text'), { a: 1 }, 'must be text'],
  [rule('text'), 'a\0b', 'must not contain characters that cannot be stored'],
  [rule('text'), 'half \ud83d', 'must not contain characters that cannot be stored'],
])('%j rejects %j: %s', (attribute, given, sentence) => {
  expect(readValue(attribute, given)).toEqual({ fault: sentence });
});

test('a value is valid only in its stored form', () => {
  expect(checkValue(rule('select', {}, colors), 'red')).toBe('must be one of Red, Dark Blue');
  expect(checkValue(rule('multiselect', {}, colors), ['Red', 'Red'])).toBe('must not name anything twice');
  expect(checkValue(rule('number'), '1')).toBe('must be a number');
  expect(checkValue(rule('number'), null)).toBeNull();
});

describe('a placeholder text', () => {
  const PLACEHOLDERS = ['n/a', 'N/A', 'not specified', '(Not specified).', 'Unknown', 'null', '-', '—', '?', 'TBD'];

  test.each(PLACEHOLDERS)('%s means no value, for every type', (text) => {
    for (const type of ['text', 'html', 'number', 'date', 'boolean', 'select', 'multiselect'] as const)
      expect(readValue(rule(type), text)).toEqual({ value: null });
    expect(readValue(rule('select', {}, colors), text)).toEqual({ value: null });
  });

  test.each(['none', 'unknown artist', 'na', '-5', 'N/A-100'])('%s is a value', (text) => {
    expect(readValue(rule('text'), text)).toEqual({ value: text });
  });

  test('is a value if it is an option', () => {
    expect(readValue(rule('select', {}, ['Known', 'Unknown']), 'unknown')).toEqual({ value: 'Unknown' });
    expect(readValue(rule('multiselect', {}, ['-', '+']), ['-'])).toEqual({ value: ['-'] });
  });

  test.each([
    ['n/a', { prompt: 'Write n/a if the text does not say.' }],
    ['N/A', { prompt: 'The material, or "n/a".' }],
    ['unknown', { prompt: 'If the source does not say, set the value to unknown' }],
    ['-', { prompt: 'Answer with "-" for products without one.' }],
    ['unknown', { categoryPrompt: "Give 'unknown' for wine." }],
    ['Unknown', { name: 'Known or unknown' }],
  ])('%s is a value if the attribute asks for it: %j', (text, words) => {
    expect(readValue({ ...rule('text'), ...words }, text)).toEqual({ value: text });
  });

  test.each([
    ['unknown', { prompt: 'If unknown, leave it empty.' }],
    ['n/a', { prompt: 'Never write "n/a".' }],
    ['n/a', { prompt: 'Do not write n/a.' }],
    ['-', { prompt: 'The color - as the maker calls it.' }],
    ['unknown', { prompt: 'The maker of lesser-known brands.' }],
  ])('%s stays a placeholder if the attribute only mentions it: %j', (text, words) => {
    expect(readValue({ ...rule('text'), ...words }, text)).toEqual({ value: null });
  });
});

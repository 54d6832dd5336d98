import type { Rule } from '../../subgraphs/common/model/attribute.ts';
import { checkValue, readValue } from '../../subgraphs/common/model/constraints.ts';

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
  [rule('date'), '2024-05-01T00:00:00Z', 'must be a date as YYYY-MM-DD'],
  [rule('select', {}, colors), 'Green', 'must be one of Red, Dark Blue'],
  [rule('select', {}, colors), ['Red'], 'must be one of its options'],
  [rule('multiselect', {}, colors), ['Red', 'Green'], 'must be one of Red, Dark Blue'],
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
])('%j refuses %j: %s', (attribute, given, sentence) => {
  expect(readValue(attribute, given)).toEqual({ fault: sentence });
});

test('a value is sound only in the form it is stored in', () => {
  expect(checkValue(rule('select', {}, colors), 'red')).toBe('must be one of Red, Dark Blue');
  expect(checkValue(rule('multiselect', {}, colors), ['Red', 'Red'])).toBe('must not name anything twice');
  expect(checkValue(rule('number'), '1')).toBe('must be a number');
  expect(checkValue(rule('number'), null)).toBeNull();
});

import { checkValue } from '../../subgraphs/catalog/extraction/constraints.ts';
import type { Constraints } from '../../subgraphs/catalog/extraction/extraction-prompt.ts';

const check = (value: string, constraints: Constraints, type: 'text' | 'html' = 'text') =>
  checkValue({ type, options: [], constraints }, value);

test.each([
  ['title-case', 'Cordless Drills for the Workshop', true],
  ['title-case', '3D Printers & Filament', true],
  ['title-case', 'The Best of Both', true],
  ['title-case', 'Cordless drills', false],
  ['title-case', 'for Builders', false],
  ['lowercase', 'cordless drills', true],
  ['lowercase', 'Cordless', false],
  ['kebab-case', 'cordless-drills-18v', true],
  ['kebab-case', 'Cordless-drills', false],
  ['kebab-case', 'cordless--drills', false],
  ['kebab-case', '-cordless', false],
  ['keywords', 'drill, cordless drill, 18 v', true],
  ['keywords', 'drill, Drill', false],
  ['keywords', 'drill, drill', false],
  ['keywords', 'drill,, saw', false],
  ['html-section', '<div><h2>A</h2><ul><li>b</li></ul></div>', true],
  ['html-section', '<div class="x"><div><h2>A</h2></div><ul></ul></div>', true],
  ['html-section', '<div><h2>A</h2></div><div><ul></ul></div>', false],
  ['html-section', '<div><h2>A</h2></div>', false],
  ['html-section', '<h2>A</h2><ul></ul>', false],
] as const)('%s: %j is sound: %s', (format, value, sound) => {
  expect(check(value, { format }, format === 'html-section' ? 'html' : 'text') === null).toBe(sound);
});

test('kebab-case words are separated by hyphens, and keywords by commas', () => {
  expect(check('cordless-drills', { format: 'kebab-case', minWords: 3 })).toBe('must have at least 3 words and has 2');
  expect(check('a-b-c', { format: 'kebab-case', minWords: 3, maxWords: 5 })).toBeNull();
  expect(check('a b, c', { format: 'keywords', minItems: 5 })).toBe('must have at least 5 entries and has 2');
  expect(check('a, b, c, d, e', { format: 'keywords', minItems: 5, maxItems: 10 })).toBeNull();
});

import { parseSync } from 'rolldown/utils';
import { cpuTime, fastest, unitOfWork } from '../support/cpu-time.ts';
import { sources, textOf } from './files.ts';

/** Their input comes from the operator or from this machine, and it is short. */
const TRUSTED = /^(?:tests|bench)\/|^start\/(?!offline-model\/)/;

interface Literal {
  file: string;
  pattern: RegExp;
}

const hasQuantifier = ({ source }: RegExp) => /[*+]|\{\d*,\d*\}/.test(source);

function* literalsOf(node: unknown, file: string): Generator<Literal> {
  if (typeof node !== 'object' || node === null) return;
  const { type, regex } = node as { type?: string; regex?: { pattern: string; flags: string } };
  if (type === 'Literal' && regex) yield { file, pattern: new RegExp(regex.pattern, regex.flags) };
  for (const each of Object.values(node)) yield* literalsOf(each, file);
}

const literals = sources
  .filter((file) => !TRUSTED.test(file) && file.endsWith('.ts'))
  .flatMap((file) => {
    const text = textOf(file);
    // Most files have no pattern, and parsing takes longer than this test.
    return /\/[^/\n]*[*+}][^/\n]*\//.test(text) ? [...literalsOf(parseSync(file, text).program, file)] : [];
  })
  .filter(({ pattern }) => hasQuantifier(pattern) && !pattern.sticky);

const CHARACTERS = [...' \t\n<>"\'`-.,:;aA1/=()[]{}“?!_@&|#+*%'];
const PAIRS = ['a ', 'a-', 'a.', 'a@', '1,', '1.', '1 ', "1'", '-0', ' \n', '<a', '“x', '."', '[1', '((', 'A-'];

/** Texts that repeat a character, a pair, or a word of the pattern. Many patterns need their first words before the repetition. */
function* hostileTexts({ source }: RegExp, length: number): Generator<string> {
  const words = source.replace(/\\[a-zA-Z]/g, ' ').match(/[\w<@:>]{2,}/g) ?? [];
  const units = [...CHARACTERS, ...PAIRS, ...words, ...words.map((word) => `${word} `)];
  for (const unit of units)
    for (const start of ['', 'a', ...words.slice(0, 2)]) yield `${start}${unit.repeat(length / unit.length)}\0\u2028`;
}

const run = (pattern: RegExp, text: string) => (pattern.global ? text.replace(pattern, '') : pattern.test(text));

/** A text for which the time of the pattern grows faster than its length. */
function hostileTo(pattern: RegExp, unit: number): string | undefined {
  const [short, long] = [hostileTexts(pattern, 4_000), hostileTexts(pattern, 12_000)];
  for (const text of short) {
    const larger = long.next().value as string;
    if (cpuTime(() => run(pattern, text)) < unit / 4) continue;
    const [once, threefold] = [fastest(() => run(pattern, text)), fastest(() => run(pattern, larger), 1)];
    if (once > unit / 8 && threefold > 5.5 * once) return text.slice(0, 40);
  }
  return undefined;
}

test('the probe finds patterns of quadratic time', () => {
  const unit = unitOfWork();
  for (const pattern of [/<[^>]*>/g, /\s+$/, /a.*b/]) expect(hostileTo(pattern, unit)).toBeDefined();
});

test('no pattern of the product takes more than linear time', () => {
  expect(literals.length).toBeGreaterThan(150);
  const unit = unitOfWork();
  const found = literals.flatMap(({ file, pattern }) => {
    const text = hostileTo(pattern, unit);
    return text === undefined ? [] : [`${file}: ${pattern} for ${JSON.stringify(text)}…`];
  });
  expect(found).toEqual([]);
});

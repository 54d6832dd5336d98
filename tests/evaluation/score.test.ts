import { tables } from '../../start/evaluation/evaluation-report.ts';
import { readLine } from '../../start/evaluation/lines.ts';
import { calibrationError, type EvaluatedValues, normalize, ratios, reliability, score } from '../../start/evaluation/score.ts';

const line = (expected: Record<string, string[]>, category = 'Lamp') => ({ input: 'text', category, expected });
const value = (text: string, confidence = 95) => ({ value: text, confidence, statedConfidence: confidence });

describe('a line', () => {
  test('names correct values and absent ones', () => {
    const text = '{"input": "Oak lamp", "category": "Lamp", "target_scores": {"Wood": {"Oak": 1, "Pine": 0}, "Color": {"n/a": 1}}}';
    expect(readLine(text, 'file:1')).toEqual({ input: 'Oak lamp', category: 'Lamp', expected: { Wood: ['Oak'], Color: [] } });
  });

  test.each([
    ['{', 'file:1: not a JSON object'],
    ['[]', 'file:1: not a JSON object'],
    ['{"input": "", "category": "Lamp", "target_scores": {}}', 'file:1: "input" must be text'],
    ['{"input": "x", "category": 1, "target_scores": {}}', 'file:1: "category" must be text'],
    ['{"input": "x", "category": "Lamp", "target_scores": {"Wood": "Oak"}}', 'file:1: "Wood" must map values to scores'],
  ])('that is malformed is reported: %s', (text, message) => {
    expect(() => readLine(text, 'file:1')).toThrow(message);
  });
});

test.each([
  ['Dark  Oak', 'dark oak'],
  ['1.5 KG', '1.5kg'],
  ['40 W, 230 V', '40w, 230v'],
  [' ４０ cm', '40cm'],
])('%j and %j are the same value', (a, b) => {
  expect(normalize(a)).toBe(normalize(b));
});

describe('the score', () => {
  const lines = [line({ Wood: ['Oak'], Color: [] }), line({ Wood: ['Pine'], Color: ['Red'] }), line({ Power: ['40 W'] }, 'Bulb')];
  const found: EvaluatedValues[] = [
    { Wood: value('oak'), Color: value('Blue', 60), Other: value('not judged') },
    { Wood: value('Birch', 75) },
    { Power: value('40w', 40) },
  ];

  test('counts a wrong value as false positive and false negative, and an invented one as false positive', () => {
    const { overall, categories } = score(lines, found);
    expect(overall).toEqual({ right: 2, wrong: 2, missed: 2 });
    expect(Object.fromEntries(categories)).toEqual({
      Lamp: { right: 1, wrong: 2, missed: 2 },
      Bulb: { right: 1, wrong: 0, missed: 0 },
    });
    expect(ratios(overall)).toEqual({ precision: 0.5, recall: 0.5, f1: 0.5 });
  });

  test('compares confidence and accuracy by confidence range', () => {
    const certain: EvaluatedValues[] = [{ ...found[0]!, Wood: value('oak', 100) }, { Wood: value('Birch', 90) }, found[2]!];
    expect(reliability(lines, certain, ({ confidence }) => confidence)).toEqual([
      { name: '90–100', count: 2, confidence: 95, right: 50 },
      { name: '50–69', count: 1, confidence: 60, right: 0 },
      { name: '< 50', count: 1, confidence: 40, right: 100 },
    ]);
    expect(calibrationError(lines, certain, ({ confidence }) => confidence)).toBe((2 * 45 + 60 + 60) / 4);
  });

  test('reports the error rate by confidence range', () => {
    expect(score(lines, found).bands.map(({ count, wrong }) => [count, wrong])).toEqual([
      [1, 0],
      [1, 1],
      [1, 1],
      [1, 0],
    ]);
  });

  test('has no ratio without findings', () => {
    expect(ratios({ right: 0, wrong: 0, missed: 0 })).toEqual({ precision: undefined, recall: undefined, f1: undefined });
    expect(tables(score([line({})], [{}]))).toContain('| Overall  |     0 |     0 |         – |      – |  – |');
  });
});

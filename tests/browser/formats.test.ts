import { Formats } from '../../web/dashboard/src/strings/formats.ts';
import { formatValue } from '../../web/dashboard/src/values/format.ts';

const strings = { values: { none: '–', yes: 'Yes', no: 'No' }, formats: new Formats('en') } as Parameters<typeof formatValue>[2];
const shown = (value: Parameters<typeof formatValue>[0], type: Parameters<typeof formatValue>[1]) =>
  formatValue(value, type, strings);

test.each(['America/Los_Angeles', 'Pacific/Kiritimati'])('a date of a product is the same day for readers in %s', (zone) => {
  const before = process.env.TZ;
  process.env.TZ = zone;
  try {
    for (const date of ['2026-01-01', '2026-01-01T23:30:00Z', '2026-01-01T00:30:00+14:00'])
      expect(shown(date, 'date')).toBe('Jan 1, 2026');
  } finally {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  }
});

test('a number of a product is shown with all of its digits', () => {
  expect([0.004, 1.254, 1e-7, 1_234_567.891].map((value) => shown(value, 'number'))).toEqual([
    '0.004',
    '1.254',
    '0.0000001',
    '1,234,567.891',
  ]);
});

test('the price of a parent product is not rounded', () => {
  expect(new Formats('en').credits(99.75)).toBe('99.75');
});

test('a duration has at most 59 seconds', () => {
  expect([59.6, 119.7, 3_599.9].map((seconds) => new Formats('en').duration(seconds))).toEqual([
    '1 min 0 sec',
    '2 min 0 sec',
    '1 hr 0 min',
  ]);
});

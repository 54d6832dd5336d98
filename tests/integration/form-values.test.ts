import type { FormField } from '../../platform/fields/form-fields.ts';
import { checkValues } from '../../platform/fields/form-fields.ts';

const read = (type: FormField['type'], value: unknown) =>
  checkValues([{ name: 'field', label: 'Field', type, required: true, options: [] }], { field: value });

test.each(['2024-02-29', '2026-12-31'])('%s is a date', (date) => {
  expect(read('date', date)).toEqual({ field: date });
});

test.each(['2026-02-29', '2026-02-31', '2026-04-31', '2026-13-01', '2026-1-1'])('%s is no date', (date) => {
  expect(() => read('date', date)).toThrow('values.field must be a valid date');
});

test.each(['(555) 123-4567', '+49 30 1234567', '030/1234567', '+1 (555) 123.4567'])('%s is a phone number', (phone) => {
  expect(read('phone', phone)).toEqual({ field: phone });
});

test.each(['(---)', '+ + +', 'phone', '1'])('%s is no phone number', (phone) => {
  expect(() => read('phone', phone)).toThrow('values.field must be a valid phone');
});

test('lengths count code points, as all limits do', () => {
  expect(read('textarea', '😀'.repeat(10_000))).toEqual({ field: '😀'.repeat(10_000) });
  expect(() => read('textarea', '😀'.repeat(10_001))).toThrow('values.field must be at most 10000 characters');
});

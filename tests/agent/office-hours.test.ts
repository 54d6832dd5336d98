import { hoursFault, nextOpening, type OfficeHours } from '../../subgraphs/agent/agents/office-hours.ts';

const WORKDAYS = [1, 2, 3, 4, 5];
const hours = (change: Partial<OfficeHours> = {}): OfficeHours => ({
  timeZone: 'Europe/Berlin',
  spans: WORKDAYS.map((weekday) => ({ weekday, opensAt: '09:00', closesAt: '17:00' })),
  closedDates: [],
  awayMessage: '',
  ...change,
});
const everyDay = (opensAt: string, closesAt: string) => [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ weekday, opensAt, closesAt }));
const opening = (given: OfficeHours, at: string) => nextOpening(given, new Date(at))?.toISOString() ?? null;

test('an office is open from its opening until before its closing, and opens on the next day with hours', () => {
  const given = hours();
  // Friday in winter, one hour ahead of UTC.
  expect(opening(given, '2026-11-27T07:59:59Z')).toBe('2026-11-27T08:00:00.000Z');
  expect(opening(given, '2026-11-27T08:00:00Z')).toBeNull();
  expect(opening(given, '2026-11-27T15:59:59Z')).toBeNull();
  expect(opening(given, '2026-11-27T16:00:00Z')).toBe('2026-11-30T08:00:00.000Z');
  // Monday in Berlin while it is Sunday in UTC.
  expect(opening(given, '2026-11-29T23:30:00Z')).toBe('2026-11-30T08:00:00.000Z');
});

test('a break, midnight and closed dates count', () => {
  const spans = [
    { weekday: 1, opensAt: '14:00', closesAt: '24:00' },
    { weekday: 1, opensAt: '09:00', closesAt: '12:00' },
    { weekday: 2, opensAt: '00:00', closesAt: '02:00' },
  ];
  const given = hours({ timeZone: 'UTC', spans });
  expect(opening(given, '2026-11-30T12:00:00Z')).toBe('2026-11-30T14:00:00.000Z');
  expect(opening(given, '2026-11-30T23:59:59Z')).toBeNull();
  expect(opening(given, '2026-12-01T00:00:00Z')).toBeNull();
  expect(opening(given, '2026-12-01T02:00:00Z')).toBe('2026-12-07T09:00:00.000Z');
  const closedDates = ['2026-12-07', '2026-12-08', '2026-12-14'];
  expect(opening({ ...given, closedDates }, '2026-12-07T10:00:00Z')).toBe('2026-12-15T00:00:00.000Z');
  const mondays = Array.from({ length: 100 }, (_, week) => new Date(Date.UTC(2026, 10, 30 + 7 * week)).toISOString().slice(0, 10));
  const longClosed = hours({ timeZone: 'UTC', spans: spans.slice(0, 1), closedDates: mondays });
  expect(opening(longClosed, '2026-11-30T15:00:00Z')).toBe('2028-10-30T14:00:00.000Z');
});

test('the clocks change: Berlin opens an hour earlier in UTC in summer, and the skipped and repeated hours have one meaning', () => {
  expect(opening(hours(), '2026-03-27T17:00:00Z')).toBe('2026-03-30T07:00:00.000Z');
  expect(opening(hours(), '2026-10-23T17:00:00Z')).toBe('2026-10-26T08:00:00.000Z');
  // On 29 March, 02:00 to 03:00 does not exist.
  const night = hours({ spans: everyDay('02:30', '04:00') });
  expect(opening(night, '2026-03-29T00:59:59Z')).toBe('2026-03-29T01:30:00.000Z');
  expect(opening(night, '2026-03-29T01:30:00Z')).toBeNull();
  expect(opening(night, '2026-03-29T02:00:00Z')).toBe('2026-03-30T00:30:00.000Z');
  // On 25 October, 02:00 to 03:00 happens twice; it opens with the first.
  expect(opening(night, '2026-10-25T00:29:59Z')).toBe('2026-10-25T00:30:00.000Z');
  expect(opening(night, '2026-10-25T01:15:00Z')).toBeNull();
  expect(opening(night, '2026-10-25T03:00:00Z')).toBe('2026-10-26T01:30:00.000Z');
  // The day of the change has 23 or 25 hours.
  const allDay = hours({ spans: everyDay('00:00', '24:00') });
  for (const at of ['2026-03-28T22:59:59Z', '2026-03-28T23:00:00Z', '2026-03-29T21:59:59Z', '2026-10-25T22:59:59Z'])
    expect(opening(allDay, at)).toBeNull();
});

test('zones west of UTC, with half hours and with changes at midnight', () => {
  expect(opening(hours({ timeZone: 'America/New_York' }), '2026-03-07T12:00:00Z')).toBe('2026-03-09T13:00:00.000Z');
  expect(opening(hours({ timeZone: 'America/New_York' }), '2026-12-01T02:00:00Z')).toBe('2026-12-01T14:00:00.000Z');
  expect(opening(hours({ timeZone: 'Asia/Kolkata' }), '2026-12-01T00:00:00Z')).toBe('2026-12-01T03:30:00.000Z');
  expect(opening(hours({ timeZone: 'Australia/Lord_Howe' }), '2026-10-02T12:00:00Z')).toBe('2026-10-04T22:00:00.000Z');
  // In Santiago, the first hour of 6 September does not exist.
  const early = hours({ timeZone: 'America/Santiago', spans: everyDay('00:00', '08:00') });
  expect(opening(early, '2026-09-05T20:00:00Z')).toBe('2026-09-06T04:00:00.000Z');
});

test('wrong hours are named', () => {
  const span = { weekday: 1, opensAt: '09:00', closesAt: '12:00' };
  expect(hoursFault(hours())).toBeUndefined();
  expect(hoursFault(hours({ spans: [span, { ...span, opensAt: '12:00', closesAt: '24:00' }] }))).toBeUndefined();
  expect(hoursFault(hours({ spans: [span, { ...span, opensAt: '11:59', closesAt: '13:00' }] }))).toMatch(/overlap/);
  expect(hoursFault(hours({ spans: [span, span, span] }))).toMatch(/more than two/);
  expect(hoursFault(hours({ spans: [{ ...span, closesAt: '09:00' }] }))).toMatch(/closes before/);
  for (const timeZone of ['Berlin/Europe', '+01:00', 'x; drop']) expect(hoursFault(hours({ timeZone }))).toMatch(/time zone/);
  for (const date of ['2026-02-30', '2026-13-01']) expect(hoursFault(hours({ closedDates: [date] }))).toMatch(/no date/);
});

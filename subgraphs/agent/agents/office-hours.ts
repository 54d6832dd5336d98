import { InputType, Int, ObjectType } from 'type-graphql';
import { field, input, list, output, shared } from '../../../platform/fields/index.ts';

const TIME = /^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/;

@ObjectType('OfficeSpan', { description: 'A time of the week in which the team is there.' })
@InputType('OfficeSpanInput', { description: 'A time of the week in which the team is there, at most two for each weekday.' })
class OfficeSpan extends shared({
  weekday: field(Int, { min: 1, max: 7, description: 'From 1, which is Monday, to 7, which is Sunday.' }),
  opensAt: field(String, { pattern: TIME, description: 'Local time, such as `09:00`.' }),
  closesAt: field(String, {
    pattern: TIME,
    description: 'Local time after `opensAt`, such as `17:30`; `24:00` is the end of the day.',
  }),
}) {}

@ObjectType({ description: 'When the people behind an agent are there, and what visitors see when they are not.' })
export class OfficeHours extends output({
  timeZone: field(String, 'The IANA name of the time zone of all times.'),
  spans: list(OfficeSpan, { assumedSize: 14 }),
  closedDates: list(String, 'Dates on which the team is away all day, such as `2026-12-25`.'),
  awayMessage: field(String, 'Shown to visitors who ask for a person outside of the hours. Empty for a general message.'),
}) {}

@InputType({ description: 'When the people behind an agent are there, and what visitors see when they are not.' })
export class OfficeHoursInput
  extends input({
    timeZone: field(String, {
      minLength: 1,
      maxLength: 64,
      description: 'The IANA name of the time zone of all times, such as `Europe/Berlin`.',
    }),
    spans: list(OfficeSpan, { minItems: 1, maxItems: 14, description: 'Spans of one weekday must not overlap.' }),
    closedDates: list(String, {
      maxItems: 100,
      pattern: /^\d{4}-\d{2}-\d{2}$/,
      defaultValue: [],
      description: 'Dates on which the team is away all day, such as `2026-12-25`.',
    }),
    awayMessage: field(String, {
      maxLength: 2_000,
      defaultValue: '',
      description:
        'Shown to visitors who ask for a person outside of the hours, before the next opening. Empty for a general message.',
    }),
  })
  implements OfficeHours {}

@ObjectType({ description: 'The answer to a visitor who waits for a person outside of the office hours.' })
export class AwayNotice extends output({
  message: field(String, 'The away message; empty for a general one.'),
  opensAt: field(Date, 'The next opening.'),
}) {}

const DAY = 86_400_000;
const MINUTE = 60_000;

/**
 * The next opening after a time; null while the team is there. A local time that a change of the clocks skips is an hour later, and one that
 * happens twice is its first.
 */
export function nextOpening({ timeZone, spans, closedDates }: OfficeHours, at: Date): Date | null {
  const now = at.getTime();
  const offsetAt = offsetsOf(timeZone);
  const today = Math.floor((now + offsetAt(now)) / DAY) * DAY;
  const sorted = spans.toSorted((a, b) => minutesOf(a.opensAt) - minutesOf(b.opensAt));
  // Each closed date takes at most one of the days with a span, of which every week has one.
  const lastDay = today + 7 * (closedDates.length + 2) * DAY;
  for (let day = today; day <= lastDay; day += DAY) {
    if (closedDates.includes(new Date(day).toISOString().slice(0, 10))) continue;
    for (const { opensAt, closesAt } of sorted.filter(({ weekday }) => weekday === weekdayOf(day))) {
      const opening = instantOf(day + minutesOf(opensAt) * MINUTE, offsetAt);
      if (opening > now) return new Date(opening);
      if (now < instantOf(day + minutesOf(closesAt) * MINUTE, offsetAt)) return null;
    }
  }
  return null;
}

/** A fault of office hours that the limits of their fields do not catch. */
export function hoursFault({ timeZone, spans, closedDates }: OfficeHours): string | undefined {
  if (!isTimeZone(timeZone)) return 'timeZone must be the IANA name of a time zone, such as Europe/Berlin';
  const invalid = closedDates.find((date) => !isDate(date));
  if (invalid) return `closedDates: ${invalid} is no date`;
  const byDay = Map.groupBy(spans, ({ weekday }) => weekday);
  for (const [weekday, all] of byDay) {
    if (all.length > 2) return `spans: weekday ${weekday} has more than two`;
    if (all.some(({ opensAt, closesAt }) => minutesOf(opensAt) >= minutesOf(closesAt)))
      return `spans: weekday ${weekday} closes before it opens`;
    if (overlap(all)) return `spans: those of weekday ${weekday} overlap`;
  }
  return undefined;
}

/** A time in the time zone of the team, for the model. */
export const spokenTime = (time: Date, timeZone: string): string =>
  `${time.toLocaleString('en-GB', { timeZone, dateStyle: 'full', timeStyle: 'short' })} (${timeZone})`;

function overlap(spans: readonly OfficeSpan[]): boolean {
  const [first, second] = spans.toSorted((a, b) => minutesOf(a.opensAt) - minutesOf(b.opensAt));
  return Boolean(first && second) && minutesOf(second!.opensAt) < minutesOf(first!.closesAt);
}

function isTimeZone(name: string): boolean {
  // An offset such as +01:00 is valid too, but knows no summer.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const isDate = (text: string): boolean => {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
};

function minutesOf(time: string): number {
  const [hours, minutes] = time.split(':').map(Number);
  return hours! * 60 + minutes!;
}

/** ISO weekday of a date, which is its midnight in UTC. 1970 began on a Thursday. */
const weekdayOf = (day: number): number => ((((day / DAY + 3) % 7) + 7) % 7) + 1;

/** The instant of a local time, which is written as if it were UTC. */
function instantOf(local: number, offsetAt: (time: number) => number): number {
  const [before, after] = [offsetAt(local - DAY), offsetAt(local + DAY)];
  const first = local - before;
  if (before === after || offsetAt(first) === before) return first;
  return offsetAt(local - after) === after ? local - after : first;
}

/** The milliseconds by which the clocks of a time zone are ahead of UTC. */
function offsetsOf(timeZone: string): (time: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (time) => {
    const parts = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
    const local = Date.UTC(parts.year!, parts.month! - 1, parts.day!, parts.hour!, parts.minute!, parts.second!);
    return local - Math.floor(time / 1_000) * 1_000;
  };
}

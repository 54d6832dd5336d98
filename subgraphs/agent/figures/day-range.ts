import { InputType } from 'type-graphql';
import { clock } from '../../../platform/database/index.ts';
import { field, input } from '../../../platform/fields/index.ts';
import { fail } from '../../../schema/errors.ts';
import { isCalendarDay } from '../../../schema/text.ts';

/** Days that one read covers at most, and by default. */
const [MAX_DAYS, DEFAULT_DAYS] = [90, 30];
const DAY = 24 * 60 * 60 * 1_000;

const CALENDAR_DAY = {
  maxLength: 10,
  *faults(value: NonNullable<unknown>, path: string) {
    if (!isCalendarDay(String(value))) yield `${path} must be a date as YYYY-MM-DD`;
  },
};

@InputType({ description: 'Up to 90 days in UTC.' })
export class DayRange extends input({
  from: field(String, {
    ...CALENDAR_DAY,
    nullable: true,
    description: 'The first day, as YYYY-MM-DD. Default: 29 days before `to`.',
  }),
  to: field(String, { ...CALENDAR_DAY, nullable: true, description: 'The last day. Default: today.' }),
}) {}

export interface Days {
  from: string;
  to: string;
}

/** Throws `INVALID_INPUT` if the range is reversed or too long. */
export function daysOf({ from, to }: DayRange, now = clock.now()): Days {
  const last = to ?? dayOf(now);
  const first = from ?? dayOf(new Date(Date.parse(last) - (DEFAULT_DAYS - 1) * DAY));
  const days = (Date.parse(last) - Date.parse(first)) / DAY + 1;
  if (days < 1) throw fail('INVALID_INPUT', 'from must not be after to');
  if (days > MAX_DAYS) throw fail('INVALID_INPUT', `from and to must be at most ${MAX_DAYS} days apart`);
  return { from: first, to: last };
}

const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

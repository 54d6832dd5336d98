import { InputType, Int, ObjectType } from 'type-graphql';
import { field, input, list, output, shared } from '../../../platform/fields/index.ts';

const TIME = /^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/;

@ObjectType('OfficeSpan', { description: 'A time of the week in which the team is there.' })
@InputType('OfficeSpanInput', { description: 'A time of the week in which the team is there, at most two for each weekday.' })
export class OfficeSpan extends shared({
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

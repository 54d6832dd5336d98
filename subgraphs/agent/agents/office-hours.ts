import { Field, InputType, Int, ObjectType } from 'type-graphql';
import { Limited } from '../../../platform/input/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';

const TIME = /^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/;

@ObjectType('OfficeSpan', { description: 'A time of the week in which the team is there.' })
@InputType('OfficeSpanInput', { description: 'A time of the week in which the team is there, at most two for each weekday.' })
export class OfficeSpan {
  @Limited({ min: 1, max: 7 })
  @Field(() => Int, { description: 'From 1, which is Monday, to 7, which is Sunday.' })
  weekday!: number;

  @Limited({ pattern: TIME })
  @Field(() => String, { description: 'Local time, such as `09:00`.' })
  opensAt!: string;

  @Limited({ pattern: TIME })
  @Field(() => String, { description: 'Local time after `opensAt`, such as `17:30`; `24:00` is the end of the day.' })
  closesAt!: string;
}

@ObjectType({ description: 'When the people behind an agent are there, and what visitors see when they are not.' })
export class OfficeHours {
  @Field(() => String, { description: 'The IANA name of the time zone of all times.' })
  timeZone!: string;

  @ListSize(14)
  @Field(() => [OfficeSpan])
  spans!: OfficeSpan[];

  @Field(() => [String], { description: 'Dates on which the team is away all day, such as `2026-12-25`.' })
  closedDates!: string[];

  @Field(() => String, { description: 'Shown to visitors who ask for a person outside of the hours. Empty for a general message.' })
  awayMessage!: string;
}

@InputType({ description: 'When the people behind an agent are there, and what visitors see when they are not.' })
export class OfficeHoursInput implements OfficeHours {
  @Limited({ minLength: 1, maxLength: 64 })
  @Field(() => String, { description: 'The IANA name of the time zone of all times, such as `Europe/Berlin`.' })
  timeZone!: string;

  @Limited({ minItems: 1, maxItems: 14 })
  @Field(() => [OfficeSpan], { description: 'Spans of one weekday must not overlap.' })
  spans!: OfficeSpan[];

  @Limited({ maxItems: 100, pattern: /^\d{4}-\d{2}-\d{2}$/ })
  @Field(() => [String], { defaultValue: [], description: 'Dates on which the team is away all day, such as `2026-12-25`.' })
  closedDates!: string[];

  @Limited({ maxLength: 2_000 })
  @Field(() => String, {
    defaultValue: '',
    description:
      'Shown to visitors who ask for a person outside of the hours, before the next opening. Empty for a general message.',
  })
  awayMessage!: string;
}

@ObjectType({ description: 'The answer to a visitor who waits for a person outside of the office hours.' })
export class AwayNotice {
  @Field(() => String, { description: 'The away message; empty for a general one.' })
  message!: string;

  @Field(() => Date, { description: 'The next opening.' })
  opensAt!: Date;
}

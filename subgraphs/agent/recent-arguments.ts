import { GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import { ID } from 'type-graphql';
import { args, field } from '../../platform/fields/index.ts';
import { ListSize } from '../../platform/lists/index.ts';
import { isCalendarDay } from '../../schema/text.ts';

/** Records of a list without a limit. */
export const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100;

const literal = (node: ValueNode): unknown => ('value' in node && node.kind !== Kind.ENUM ? node.value : null);

/** Pollers send limits as text, and an invalid limit must not stop them. */
const clampedLimit = (value: unknown): number => {
  const number = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value);
  return Number.isNaN(number) ? DEFAULT_LIMIT : Math.min(Math.max(Math.trunc(number), 1), MAX_LIMIT);
};

/** A day with an optional time and offset. A `+` that is not encoded in a URL arrives as a space. */
const ISO_8601 =
  /^(\d{4}-\d{2}-\d{2})(?:[tT ](\d{2})(?::(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?(?:[zZ]|([+ -]\d{2})(?::?(\d{2}))?)?)?$/;

/**
 * Reads ISO 8601 with a year between 0 and 9999, which PostgreSQL and JavaScript both support. A time without an offset is UTC;
 * JavaScript would use the time zone of the server, and takes February 30 for March 2.
 */
const instant = (value: unknown): Date | null => {
  if (value instanceof Date) return value;
  const [, day, hour = '00', minute = '00', second = '00', fraction = '0', ahead = '+00', minutesAhead = '00'] =
    (typeof value === 'string' && ISO_8601.exec(value)) || [];
  if (day === undefined || !isCalendarDay(day)) return null;
  const date = new Date(`${day}T${hour}:${minute}:${second}.${fraction}${ahead.replace(' ', '+')}:${minutesAhead}`);
  const year = date.getUTCFullYear();
  return year >= 0 && year <= 9_999 ? date : null;
};

/** The limit of a list of the integration API. */
const ListLimit = new GraphQLScalarType({
  name: 'ListLimit',
  description: `Page size of a list. A value outside 1 to ${MAX_LIMIT} is clamped; a value that is not a number is ${DEFAULT_LIMIT}.`,
  serialize: (value) => value,
  parseValue: clampedLimit,
  parseLiteral: (node) => clampedLimit(literal(node)),
});

/** The start of a list of the integration API. */
export const Since = new GraphQLScalarType({
  name: 'Since',
  description: 'An ISO 8601 date and time; UTC without an offset. An invalid value is ignored.',
  serialize: (value) => value,
  parseValue: instant,
  parseLiteral: (node) => instant(literal(node)),
});

/** The arguments of every list of the integration API. */
export class RecentArguments extends args({
  agentId: field(ID, { nullable: true, description: 'Only records of this agent.' }),
  since: field(Since, {
    nullable: true,
    description:
      'Only records created at or after this time. If there are more than `limit`, the oldest of them are returned, still sorted newest first.',
  }).as<Date>(),
  before: field(Since, {
    nullable: true,
    description:
      'Only records created before this time. Pass the time of the last record of a response to read the next older ones.',
  }).as<Date>(),
  limit: field(ListLimit, { nullable: true, defaultValue: DEFAULT_LIMIT, description: 'Default: 50.' }).as<number>(),
}) {}

/** Declares the length of a list of the integration API for the cost of an operation. */
export const RecentList = () => ListSize(DEFAULT_LIMIT);

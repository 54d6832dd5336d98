import { Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { clock } from '../../../platform/database/index.ts';
import { field, input, list, output } from '../../../platform/fields/index.ts';
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

/** Entries of the lists of figures. */
export const [MAX_VERSIONS, MAX_SOURCES, MAX_TOPICS, MAX_EXAMPLES] = [50, 20, 12, 10];

const TIME = 'in milliseconds, rounded to two digits; null without one.';

@ObjectType({ description: 'Sums of replies to visitors. An answer that was generated again counts again.' })
export class ReplyFigures extends output({
  questions: field(Int, 'Replies that have ended.'),
  answered: field(
    Int,
    'Complete replies that answer the question. Those that were stopped, or wait for an approval, do not count.',
  ),
  unanswered: field(Int, 'Replies that say that nothing answers the question.'),
  failed: field(Int, 'Replies that ended with an error, or for which there were no credits.'),
  handoffs: field(Int, 'Conversations that were handed to people, once for each handoff, by the version of the last reply.'),
  ratedUp: field(Int),
  ratedDown: field(Int),
  credits: field(Float),
  inputTokens: field(Float),
  outputTokens: field(Float),
  firstTokenMedianMs: field(Int, { nullable: true, description: `Median time until the first text, ${TIME}` }),
  firstTokenHighMs: field(Int, { nullable: true, description: `95th percentile of the time until the first text, ${TIME}` }),
  endMedianMs: field(Int, { nullable: true, description: `Median time until the end, without the wait for approvals, ${TIME}` }),
  endHighMs: field(Int, { nullable: true, description: `95th percentile of the time until the end, ${TIME}` }),
}) {}

@ObjectType({ description: 'The figures of one day.' })
class DayFigures extends output(ReplyFigures, {
  day: field(String, 'In UTC, as YYYY-MM-DD.'),
}) {}

@ObjectType({ description: 'The figures of one version of an agent.' })
class VersionFigures extends output(ReplyFigures, {
  version: field(Int, '0 for replies without a version.'),
}) {}

@ObjectType({ description: 'A source and how often replies cite it.' })
export class CitedSource extends output({
  sourceId: field(ID),
  name: field(String, { nullable: true, description: 'Null if the source was deleted.' }),
  replies: field(Int, 'Replies that cite it.'),
}) {}

@ObjectType({ description: 'A question of a visitor.' })
class TopicQuestion extends output({
  conversationId: field(ID),
  messageId: field(ID, 'The id of the reply.'),
  question: field(String, 'The beginning of its text, up to 200 characters.'),
}) {}

@ObjectType({ description: 'Questions with similar meanings.' })
class QuestionTopic extends output({
  label: field(String, 'The question to which most others are similar.'),
  questions: field(Int),
  examples: list(TopicQuestion, { assumedSize: MAX_EXAMPLES, description: 'The newest questions.' }),
}) {}

@ObjectType({ description: 'The most frequent topics of the newest questions.' })
export class QuestionTopics extends output({
  compared: field(Int, 'Questions that were compared: the newest 1,000, without those that were not compared with sources.'),
  topics: list(QuestionTopic, {
    assumedSize: MAX_TOPICS,
    description: 'The most frequent first. A topic has at least two questions.',
  }),
}) {}

@ObjectType({ description: 'The experience of visitors with an agent. The sums outlive the conversations.' })
export class AgentFigures extends output({
  agentId: field(ID),
  from: field(String),
  to: field(String),
  total: field(ReplyFigures),
  days: list(DayFigures, { assumedSize: 90, description: 'Days with replies or handoffs, oldest first.' }),
  versions: list(VersionFigures, {
    assumedSize: MAX_VERSIONS,
    description: 'The newest versions with replies or handoffs, newest first.',
  }),
  sources: list(CitedSource, { assumedSize: MAX_SOURCES, description: 'The sources that replies cite most.' }),
}) {
  organizationId!: string;
}

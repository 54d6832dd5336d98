import { Field, Float, ID, Int, ObjectType } from 'type-graphql';
import { ListSize } from '../../../platform/lists/index.ts';

/** Entries of the lists of figures. */
export const [MAX_VERSIONS, MAX_SOURCES, MAX_TOPICS, MAX_EXAMPLES] = [50, 20, 12, 10];

const TIME = 'in milliseconds, rounded to two digits; null without one.';

@ObjectType({ description: 'Sums of replies to visitors. An answer that was generated again counts again.' })
export class ReplyFigures {
  @Field(() => Int, { description: 'Replies that have ended.' })
  questions!: number;

  @Field(() => Int, {
    description: 'Complete replies that answer the question. Those that were stopped, or wait for an approval, do not count.',
  })
  answered!: number;

  @Field(() => Int, { description: 'Replies that say that nothing answers the question.' })
  unanswered!: number;

  @Field(() => Int, { description: 'Replies that ended with an error, or for which there were no credits.' })
  failed!: number;

  @Field(() => Int, {
    description: 'Conversations that were handed to people, once for each handoff, by the version of the last reply.',
  })
  handoffs!: number;

  @Field(() => Int)
  ratedUp!: number;

  @Field(() => Int)
  ratedDown!: number;

  @Field(() => Float)
  credits!: number;

  @Field(() => Float)
  inputTokens!: number;

  @Field(() => Float)
  outputTokens!: number;

  @Field(() => Int, { nullable: true, description: `Median time until the first text, ${TIME}` })
  firstTokenMedianMs!: number | null;

  @Field(() => Int, { nullable: true, description: `95th percentile of the time until the first text, ${TIME}` })
  firstTokenHighMs!: number | null;

  @Field(() => Int, { nullable: true, description: `Median time until the end, without the wait for approvals, ${TIME}` })
  endMedianMs!: number | null;

  @Field(() => Int, { nullable: true, description: `95th percentile of the time until the end, ${TIME}` })
  endHighMs!: number | null;
}

@ObjectType({ description: 'The figures of one day.' })
export class DayFigures extends ReplyFigures {
  @Field(() => String, { description: 'In UTC, as YYYY-MM-DD.' })
  day!: string;
}

@ObjectType({ description: 'The figures of one version of an agent.' })
export class VersionFigures extends ReplyFigures {
  @Field(() => Int, { description: '0 for replies without a version.' })
  version!: number;
}

@ObjectType({ description: 'A source and how often replies cite it.' })
export class CitedSource {
  @Field(() => ID)
  sourceId!: string;

  @Field(() => String, { nullable: true, description: 'Null if the source was deleted.' })
  name!: string | null;

  @Field(() => Int, { description: 'Replies that cite it.' })
  replies!: number;
}

@ObjectType({ description: 'A question of a visitor.' })
export class TopicQuestion {
  @Field(() => ID)
  conversationId!: string;

  @Field(() => ID, { description: 'The id of the reply.' })
  messageId!: string;

  @Field(() => String, { description: 'The beginning of its text, up to 200 characters.' })
  question!: string;
}

@ObjectType({ description: 'Questions with similar meanings.' })
export class QuestionTopic {
  @Field(() => String, { description: 'The question to which most others are similar.' })
  label!: string;

  @Field(() => Int)
  questions!: number;

  @ListSize(MAX_EXAMPLES)
  @Field(() => [TopicQuestion], { description: 'The newest questions.' })
  examples!: TopicQuestion[];
}

@ObjectType({ description: 'The most frequent topics of the newest questions.' })
export class QuestionTopics {
  @Field(() => Int, {
    description: 'Questions that were compared: the newest 1,000, without those that were not compared with sources.',
  })
  compared!: number;

  @ListSize(MAX_TOPICS)
  @Field(() => [QuestionTopic], { description: 'The most frequent first. A topic has at least two questions.' })
  topics!: QuestionTopic[];
}

@ObjectType({ description: 'The experience of visitors with an agent. The sums outlive the conversations.' })
export class AgentFigures {
  @Field(() => ID)
  agentId!: string;

  organizationId!: string;

  @Field(() => String)
  from!: string;

  @Field(() => String)
  to!: string;

  @Field(() => ReplyFigures)
  total!: ReplyFigures;

  @ListSize(90)
  @Field(() => [DayFigures], { description: 'Days with replies or handoffs, oldest first.' })
  days!: DayFigures[];

  @ListSize(MAX_VERSIONS)
  @Field(() => [VersionFigures], { description: 'The newest versions with replies or handoffs, newest first.' })
  versions!: VersionFigures[];

  @ListSize(MAX_SOURCES)
  @Field(() => [CitedSource], { description: 'The sources that replies cite most.' })
  sources!: CitedSource[];
}

import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { Directive, Field, ID, Int, ObjectType } from 'type-graphql';
import { clock, Owned } from '../../../platform/database/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';

/** A question and its answer, as stored. */
export interface QuestionAndAnswer {
  question: string;
  answer: string;
}

@ObjectType({ description: 'A knowledge source of an agent: a web page or site, a text, or a list of questions and answers.' })
@Directive('@key(fields: "id")')
@Entity({ schema: 'agent', tableName: 'sources' })
export class Source extends Owned {
  @Field(() => ID)
  @Property({ type: 'uuid' })
  agentId!: string;

  @Field(() => enumTypes.SourceType)
  @Property({ type: 'string' })
  type!: EnumValue<'SourceType'>;

  @Field(() => String)
  @Property({ type: 'string', length: 255 })
  name!: string;

  @Field(() => String, { nullable: true, description: 'The first page of a source of type `url`.' })
  @Property({ type: 'text', nullable: true })
  url: string | null = null;

  @Property({ type: 'text', nullable: true, lazy: true })
  text: string | null = null;

  @Property({ type: 'json', nullable: true, lazy: true })
  qa: QuestionAndAnswer[] | null = null;

  @Field(() => enumTypes.SourceStatus, {
    description: 'The agent keeps answering from the previous content until a source is `ready` again.',
  })
  @Property({ type: 'string' })
  status: Opt<EnumValue<'SourceStatus'>> = 'queued';

  @Field(() => String, { nullable: true, description: 'The reason of the status `failed`.' })
  @Property({ type: 'text', nullable: true })
  error: string | null = null;

  @Field(() => Int, { description: 'Pages that were read. 0 unless the type is `url`.' })
  @Property({ type: 'integer' })
  pageCount: Opt<number> = 0;

  @Field(() => Int, { description: 'Pages that could not be read.' })
  @Property({ type: 'integer' })
  failedPageCount: Opt<number> = 0;

  @Field(() => Int, { description: 'Pages that were found, up to the limit of the service.' })
  @Property({ type: 'integer' })
  pageTotal: Opt<number> = 0;

  @Field(() => Int, { description: 'Passages that the agent can answer from.' })
  @Property({ type: 'integer' })
  chunkCount: Opt<number> = 0;

  @Field(() => enumTypes.RefreshInterval, { description: 'How often the pages are read again.' })
  @Property({ type: 'string' })
  refreshInterval: Opt<EnumValue<'RefreshInterval'>> = 'never';

  /** Counts the runs of the ingestion. */
  @Property({ type: 'integer' })
  run: Opt<number> = 0;

  @Property({ type: 'bigint', runtimeType: 'number' })
  sequence: Opt<number> = 0;

  @Field(() => Date, { nullable: true, description: 'When the content was last replaced or confirmed.' })
  @Property({ type: 'datetime', nullable: true })
  lastIndexedAt: Date | null = null;

  @Field(() => Date)
  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @Field(() => Date)
  @Property({ type: 'datetime', onUpdate: () => clock.now() })
  updatedAt: Opt<Date> = this.createdAt;
}

@ObjectType({ description: 'A page of a knowledge source.' })
@Entity({ schema: 'agent', tableName: 'source_pages' })
export class SourcePage extends Owned {
  @Property({ type: 'uuid' })
  sourceId!: string;

  @Field(() => String)
  @Property({ type: 'text' })
  url!: string;

  @Property({ type: 'integer' })
  ordinal!: number;

  @Field(() => enumTypes.SourcePageStatus)
  @Property({ type: 'string' })
  status!: EnumValue<'SourcePageStatus'>;

  @Field(() => String, { nullable: true, description: 'The reason of the status `failed`.' })
  @Property({ type: 'text', nullable: true })
  error: string | null = null;

  @Field(() => String, { nullable: true })
  @Property({ type: 'text', nullable: true })
  title: string | null = null;

  @Field(() => Date, { nullable: true, description: 'When the page was last read successfully.' })
  @Property({ type: 'datetime', nullable: true })
  lastSeenAt: Date | null = null;
}

import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { Directive, ObjectType } from 'type-graphql';
import { clock, FieldProperty, Owned } from '../../../platform/database/index.ts';
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
  @FieldProperty({ type: 'uuid' })
  agentId!: string;

  @FieldProperty(() => enumTypes.SourceType, { type: 'string' })
  type!: EnumValue<'SourceType'>;

  @FieldProperty({ type: 'string', length: 255 })
  name!: string;

  @FieldProperty({ type: 'text', nullable: true, description: 'The first page of a source of type `url`.' })
  url: string | null = null;

  @Property({ type: 'text', nullable: true, lazy: true })
  text: string | null = null;

  @Property({ type: 'json', nullable: true, lazy: true })
  qa: QuestionAndAnswer[] | null = null;

  @FieldProperty(() => enumTypes.SourceStatus, {
    type: 'string',
    description: 'The agent keeps answering from the previous content until a source is `ready` again.',
  })
  status: Opt<EnumValue<'SourceStatus'>> = 'queued';

  @FieldProperty({ type: 'text', nullable: true, description: 'The reason of the status `failed`.' })
  error: string | null = null;

  @FieldProperty({ type: 'integer', description: 'Pages that were read. 0 unless the type is `url`.' })
  pageCount: Opt<number> = 0;

  @FieldProperty({ type: 'integer', description: 'Pages that could not be read.' })
  failedPageCount: Opt<number> = 0;

  @FieldProperty({ type: 'integer', description: 'Pages that were found, up to the limit of the service.' })
  pageTotal: Opt<number> = 0;

  @FieldProperty({ type: 'integer', description: 'Passages that the agent can answer from.' })
  chunkCount: Opt<number> = 0;

  @FieldProperty(() => enumTypes.RefreshInterval, { type: 'string', description: 'How often the pages are read again.' })
  refreshInterval: Opt<EnumValue<'RefreshInterval'>> = 'never';

  /** Counts the runs of the ingestion. */
  @Property({ type: 'integer' })
  run: Opt<number> = 0;

  @Property({ type: 'bigint', runtimeType: 'number' })
  sequence: Opt<number> = 0;

  @FieldProperty({ type: 'datetime', nullable: true, description: 'When the content was last replaced or confirmed.' })
  lastIndexedAt: Date | null = null;

  @FieldProperty({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @FieldProperty({ type: 'datetime', onUpdate: () => clock.now() })
  updatedAt: Opt<Date> = this.createdAt;
}

@ObjectType({ description: 'A page of a knowledge source.' })
@Entity({ schema: 'agent', tableName: 'source_pages' })
export class SourcePage extends Owned {
  @Property({ type: 'uuid' })
  sourceId!: string;

  @FieldProperty({ type: 'text' })
  url!: string;

  @Property({ type: 'integer' })
  ordinal!: number;

  @FieldProperty(() => enumTypes.SourcePageStatus, { type: 'string' })
  status!: EnumValue<'SourcePageStatus'>;

  @FieldProperty({ type: 'text', nullable: true, description: 'The reason of the status `failed`.' })
  error: string | null = null;

  @FieldProperty({ type: 'text', nullable: true })
  title: string | null = null;

  @FieldProperty({ type: 'datetime', nullable: true, description: 'When the page was last read successfully.' })
  lastSeenAt: Date | null = null;
}

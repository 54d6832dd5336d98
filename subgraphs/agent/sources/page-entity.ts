import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { Field, ObjectType } from 'type-graphql';
import { Owned } from '../../../platform/database/index.ts';
import { wordTypes } from '../../../schema/scalars.ts';
import type { Word } from '../../../schema/words.ts';

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

  @Field(() => wordTypes.SourcePageStatus)
  @Property({ type: 'string' })
  status!: Word<'SourcePageStatus'>;

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

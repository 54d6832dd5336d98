import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { Field, Int, ObjectType } from 'type-graphql';
import { clock, Owned } from '../../../platform/database/index.ts';

/** An erasure that a transaction has claimed. The id is that of the contact. */
export type Erasing = Pick<ContactErasure, 'id' | 'email'>;

@ObjectType({
  description:
    'The erasure of a contact, whose id it has. It runs in the background and is kept for 400 days, without personal data.',
})
@Entity({ schema: 'agent', tableName: 'erasures' })
export class ContactErasure extends Owned {
  /** Finds submissions outside of the conversations of the contact. Null when the erasure is complete. */
  @Property({ type: 'string', nullable: true })
  email: string | null = null;

  @Field(() => Int, { description: 'Number of conversations erased so far.' })
  @Property({ type: 'integer' })
  conversations: Opt<number> = 0;

  @Field(() => Int, { description: 'Number of messages of conversations erased so far.' })
  @Property({ type: 'integer' })
  messages: Opt<number> = 0;

  @Field(() => Int, { description: 'Number of leads erased so far.' })
  @Property({ type: 'integer' })
  leads: Opt<number> = 0;

  @Field(() => Int, { description: 'Number of form submissions erased so far.' })
  @Property({ type: 'integer' })
  submissions: Opt<number> = 0;

  @Field(() => Int, { description: 'Number of tickets whose content was erased so far.' })
  @Property({ type: 'integer' })
  tickets: Opt<number> = 0;

  @Field(() => Date)
  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @Field(() => Date, { nullable: true, description: 'When the last record was erased; null while the erasure is running.' })
  @Property({ type: 'datetime', nullable: true })
  completedAt: Date | null = null;
}

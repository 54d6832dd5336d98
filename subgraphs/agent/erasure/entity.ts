import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { ObjectType } from 'type-graphql';
import { clock, FieldProperty, Owned } from '../../../platform/database/index.ts';

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

  @FieldProperty({ type: 'integer', description: 'Number of conversations erased so far.' })
  conversations: Opt<number> = 0;

  @FieldProperty({ type: 'integer', description: 'Number of messages of conversations erased so far.' })
  messages: Opt<number> = 0;

  @FieldProperty({ type: 'integer', description: 'Number of leads erased so far.' })
  leads: Opt<number> = 0;

  @FieldProperty({ type: 'integer', description: 'Number of form submissions erased so far.' })
  submissions: Opt<number> = 0;

  @FieldProperty({ type: 'integer', description: 'Number of tickets whose content was erased so far.' })
  tickets: Opt<number> = 0;

  @FieldProperty({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @FieldProperty({
    type: 'datetime',
    nullable: true,
    description: 'When the last record was erased; null while the erasure is running.',
  })
  completedAt: Date | null = null;
}

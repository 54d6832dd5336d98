import { ObjectType } from 'type-graphql';
import { clock, column, columns, hidden, Owned, Table } from '../../../platform/database/index.ts';

/** An erasure that a transaction has claimed. The id is that of the contact. */
export type Erasing = Pick<ContactErasure, 'id' | 'email'>;

@ObjectType({
  description:
    'The erasure of a contact, whose id it has. It runs in the background and is kept for 400 days, without personal data.',
})
@Table('agent.erasures')
export class ContactErasure extends columns(Owned, {
  /** Finds submissions outside of the conversations of the contact. Null when the erasure is complete. */
  email: hidden('string', { nullable: true }),
  conversations: column('integer', { initial: 0, description: 'Number of conversations erased so far.' }),
  messages: column('integer', { initial: 0, description: 'Number of messages of conversations erased so far.' }),
  leads: column('integer', { initial: 0, description: 'Number of leads erased so far.' }),
  submissions: column('integer', { initial: 0, description: 'Number of form submissions erased so far.' }),
  tickets: column('integer', { initial: 0, description: 'Number of tickets whose content was erased so far.' }),
  createdAt: column('datetime', { initial: clock.now }),
  completedAt: column('datetime', {
    nullable: true,
    description: 'When the last record was erased; null while the erasure is running.',
  }),
}) {}

import { ID, InputType, ObjectType } from 'type-graphql';
import { clock, column, columns, Owned, Table } from '../../../platform/database/index.ts';
import { args, field, input } from '../../../platform/fields/index.ts';
import { RecentArguments } from '../recent-arguments.ts';

/** The order of the fields is the order of the documented `lead.created` data. */
@ObjectType({ description: 'A visitor who left contact details.' })
@Table('agent.leads')
export class Lead extends columns(Owned, {
  name: column('string', { nullable: true }),
  email: column('string', { nullable: true }),
  phone: column('string', { nullable: true }),
  contactId: column('uuid'),
  conversationId: column('uuid', { nullable: true, description: 'Null for a lead that did not come from a conversation.' }),
  agentId: column('uuid'),
  agentName: column('text', 'The current name of the agent, or the last name of a deleted one.'),
  createdAt: column('datetime', { initial: clock.now }),
}) {}

export class LeadsArguments extends args(RecentArguments, {
  email: field(String, { maxLength: 320, nullable: true, description: 'The exact e-mail address, ignoring case.' }),
}) {}

@InputType({ description: 'A lead to create. It needs a name or an e-mail address.' })
export class NewLead extends input({
  agentId: field(ID),
  name: field(String, { maxLength: 255, nullable: true }),
  email: field(String, { maxLength: 320, nullable: true, description: 'Selects the contact, ignoring case.' }),
  phone: field(String, { maxLength: 64, nullable: true }),
}) {}

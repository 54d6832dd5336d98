import { Entity } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { ArgsType, ID, InputType, ObjectType } from 'type-graphql';
import { clock, FieldProperty, Owned } from '../../../platform/database/index.ts';
import { args, field, input } from '../../../platform/fields/index.ts';
import { RecentArguments } from '../recent-arguments.ts';

/** The order of the fields is the order of the documented `lead.created` data. */
@ObjectType({ description: 'A visitor who left contact details.' })
@Entity({ schema: 'agent', tableName: 'leads' })
export class Lead extends Owned {
  @FieldProperty({ type: 'string', nullable: true })
  name: string | null = null;

  @FieldProperty({ type: 'string', nullable: true })
  email: string | null = null;

  @FieldProperty({ type: 'string', nullable: true })
  phone: string | null = null;

  @FieldProperty({ type: 'uuid' })
  contactId!: string;

  @FieldProperty({ type: 'uuid', nullable: true, description: 'Null for a lead that did not come from a conversation.' })
  conversationId: string | null = null;

  @FieldProperty({ type: 'uuid' })
  agentId!: string;

  @FieldProperty({ type: 'text', description: 'The current name of the agent, or the last name of a deleted one.' })
  agentName!: string;

  @FieldProperty({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();
}

@ArgsType()
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

import { Entity } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { ArgsType, Field, ID, InputType, ObjectType } from 'type-graphql';
import { clock, FieldProperty, Owned } from '../../../platform/database/index.ts';
import { Limited } from '../../../platform/input/index.ts';
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
export class LeadsArguments extends RecentArguments {
  @Limited({ maxLength: 320 })
  @Field(() => String, { nullable: true, description: 'The exact e-mail address, ignoring case.' })
  email?: string | null;
}

@InputType({ description: 'A lead to create. It needs a name or an e-mail address.' })
export class NewLead {
  @Field(() => ID)
  agentId!: string;

  @Limited({ maxLength: 255 })
  @Field(() => String, { nullable: true })
  name?: string | null;

  @Limited({ maxLength: 320 })
  @Field(() => String, { nullable: true, description: 'Selects the contact, ignoring case.' })
  email?: string | null;

  @Limited({ maxLength: 64 })
  @Field(() => String, { nullable: true })
  phone?: string | null;
}

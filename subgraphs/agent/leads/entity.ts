import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { Field, ID, ObjectType } from 'type-graphql';
import { clock, Owned } from '../../../platform/database/index.ts';

/** The order of the fields is the order of the documented `lead.created` data. */
@ObjectType({ description: 'A visitor who left contact details.' })
@Entity({ schema: 'agent', tableName: 'leads' })
export class Lead extends Owned {
  @Field(() => String, { nullable: true })
  @Property({ type: 'string', nullable: true })
  name: string | null = null;

  @Field(() => String, { nullable: true })
  @Property({ type: 'string', nullable: true })
  email: string | null = null;

  @Field(() => String, { nullable: true })
  @Property({ type: 'string', nullable: true })
  phone: string | null = null;

  @Field(() => ID)
  @Property({ type: 'uuid' })
  contactId!: string;

  @Field(() => ID, { nullable: true, description: 'Null for a lead that did not come from a conversation.' })
  @Property({ type: 'uuid', nullable: true })
  conversationId: string | null = null;

  @Field(() => ID)
  @Property({ type: 'uuid' })
  agentId!: string;

  @Field(() => String, { description: 'The current name of the agent, or the last name of a deleted one.' })
  @Property({ type: 'text' })
  agentName!: string;

  @Field(() => Date)
  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();
}

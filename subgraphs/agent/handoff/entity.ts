import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { Field, ID, ObjectType } from 'type-graphql';
import { clock, Owned } from '../../../platform/database/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';

@ObjectType({
  description: 'The handoff of a conversation from an agent to a person. A conversation has at most one that is open.',
})
@Entity({ schema: 'agent', tableName: 'handoffs' })
export class Handoff extends Owned {
  @Property({ type: 'uuid' })
  agentId!: string;

  @Field(() => ID)
  @Property({ type: 'uuid' })
  conversationId!: string;

  @Field(() => enumTypes.HandoffStatus)
  @Property({ type: 'string' })
  status!: EnumValue<'HandoffStatus'>;

  @Field(() => enumTypes.HandoffParty)
  @Property({ type: 'string' })
  requestedBy!: EnumValue<'HandoffParty'>;

  @Field(() => String, { nullable: true, description: 'Why a person is needed, as the agent or the visitor wrote it.' })
  @Property({ type: 'text', nullable: true })
  reason: string | null = null;

  @Field(() => ID, { nullable: true, description: 'The user who has or had the conversation.' })
  @Property({ type: 'uuid', nullable: true })
  operatorId: string | null = null;

  @Field(() => String, { nullable: true, description: 'The name that the visitor sees.' })
  @Property({ type: 'text', nullable: true })
  operatorName: string | null = null;

  @Field(() => Date)
  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @Field(() => Date, { nullable: true, description: 'When a person first took the conversation over.' })
  @Property({ type: 'datetime', nullable: true })
  takenAt: Date | null = null;

  @Field(() => Date, { nullable: true })
  @Property({ type: 'datetime', nullable: true })
  endedAt: Date | null = null;

  @Field(() => enumTypes.HandoffParty, {
    nullable: true,
    description: 'Null while it is open, and when it ended because nobody was active.',
  })
  @Property({ type: 'string', nullable: true })
  endedBy: EnumValue<'HandoffParty'> | null = null;
}

import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { ObjectType } from 'type-graphql';
import { clock, FieldProperty, Owned } from '../../../platform/database/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';

@ObjectType({
  description: 'The handoff of a conversation from an agent to a person. A conversation has at most one that is open.',
})
@Entity({ schema: 'agent', tableName: 'handoffs' })
export class Handoff extends Owned {
  @Property({ type: 'uuid' })
  agentId!: string;

  @FieldProperty({ type: 'uuid' })
  conversationId!: string;

  @FieldProperty(() => enumTypes.HandoffStatus, { type: 'string' })
  status!: EnumValue<'HandoffStatus'>;

  @FieldProperty(() => enumTypes.HandoffParty, { type: 'string' })
  requestedBy!: EnumValue<'HandoffParty'>;

  @FieldProperty({ type: 'text', nullable: true, description: 'Why a person is needed, as the agent or the visitor wrote it.' })
  reason: string | null = null;

  @FieldProperty({ type: 'uuid', nullable: true, description: 'The user who has or had the conversation.' })
  operatorId: string | null = null;

  @FieldProperty({ type: 'text', nullable: true, description: 'The name that the visitor sees.' })
  operatorName: string | null = null;

  @FieldProperty({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @FieldProperty({ type: 'datetime', nullable: true, description: 'When a person first took the conversation over.' })
  takenAt: Date | null = null;

  @FieldProperty({ type: 'datetime', nullable: true })
  endedAt: Date | null = null;

  @FieldProperty(() => enumTypes.HandoffParty, {
    type: 'string',
    nullable: true,
    description: 'Null while it is open, and when it ended because nobody was active.',
  })
  endedBy: EnumValue<'HandoffParty'> | null = null;
}

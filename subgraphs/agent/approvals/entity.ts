import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { ArgsType, ID, ObjectType } from 'type-graphql';
import { clock, FieldProperty, Owned } from '../../../platform/database/index.ts';
import { args, field, output } from '../../../platform/fields/index.ts';
import { PageOf, pageArguments } from '../../../platform/lists/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { ToolRequest } from '../tools/entity.ts';
import type { Identity } from '../visitors/identity.ts';

@ObjectType({
  description:
    'A decision about one call of a tool. An approved call is sent once, and only as the exact request that was approved.',
})
@Entity({ schema: 'agent', tableName: 'approvals' })
export class Approval extends Owned {
  @FieldProperty({ type: 'uuid' })
  agentId!: string;

  @FieldProperty({ type: 'uuid' })
  conversationId!: string;

  @FieldProperty({ type: 'uuid', description: 'The reply that called the tool.' })
  messageId!: string;

  @FieldProperty({ type: 'text', description: 'The id of the call in the parts of the reply.' })
  toolCallId!: string;

  @Property({ type: 'text' })
  visitorId!: string;

  @Property({ type: 'uuid' })
  toolId!: string;

  @FieldProperty({ type: 'string', length: 64 })
  toolName!: string;

  @FieldProperty(() => enumTypes.ApprovalParty, { type: 'string' })
  party!: EnumValue<'ApprovalParty'>;

  @FieldProperty(() => enumTypes.ApprovalReason, { type: 'string' })
  reason!: EnumValue<'ApprovalReason'>;

  @FieldProperty({ type: 'text', description: 'The question: the confirmation of the tool with the arguments of the call.' })
  text!: string;

  // JSONB would reorder the keys, and the hash of the request depends on them.
  @Property({ type: 'json', columnType: 'json' })
  input!: Record<string, unknown>;

  @Property({ type: 'json', columnType: 'json', nullable: true })
  identity: Identity | null = null;

  @FieldProperty(() => ToolRequest, { type: 'json', description: 'The request that an approval sends.' })
  request!: ToolRequest;

  @Property({ type: 'text' })
  requestHash!: string;

  /** Whether the reply shows the requests of tools that write instead of sending them. */
  @Property({ type: 'boolean' })
  preview!: boolean;

  @FieldProperty(() => enumTypes.ApprovalStatus, { type: 'string' })
  status!: EnumValue<'ApprovalStatus'>;

  @FieldProperty({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @FieldProperty({ type: 'datetime', description: 'When a pending request for approval ends.' })
  expiresAt!: Date;

  @FieldProperty({ type: 'datetime', nullable: true })
  decidedAt: Date | null = null;

  @FieldProperty({ type: 'uuid', nullable: true, description: 'The user who decided; null for a visitor.' })
  decidedBy: string | null = null;

  @FieldProperty({ type: 'text', nullable: true, description: 'The name of the user who decided.' })
  decidedByName: string | null = null;

  @FieldProperty({ type: 'datetime', nullable: true })
  sentAt: Date | null = null;

  @FieldProperty({ type: 'datetime', nullable: true })
  finishedAt: Date | null = null;

  @FieldProperty({ type: 'integer', nullable: true, description: 'The HTTP status of the receiver; null if it did not answer.' })
  responseStatus: number | null = null;

  @Property({ type: 'json', nullable: true })
  result: unknown = null;

  @FieldProperty({ type: 'text', nullable: true, description: 'The reason why the call failed.' })
  error: string | null = null;
}

@ArgsType()
export class ApprovalsArguments extends args(pageArguments(20), {
  conversationId: field(ID, { nullable: true, description: 'Only approvals in this conversation.' }),
  status: field(enumTypes.ApprovalStatus, { nullable: true }),
}) {}

@ObjectType({ description: 'One page of approvals.' })
export class ApprovalPage extends PageOf(Approval, 'ApprovalPage') {}

@ObjectType({ description: 'A decision about one call of a tool, as the visitor sees it.' })
export class VisitorApproval extends output({
  id: field(ID),
  messageId: field(ID, 'The reply that called the tool.'),
  toolCallId: field(String, 'The id of the call in the parts of the reply.'),
  toolName: field(String),
  party: field(enumTypes.ApprovalParty, 'The deciding party.'),
  text: field(String, 'The question to show as plain text. It never contains words of the model.'),
  status: field(enumTypes.ApprovalStatus),
  createdAt: field(Date),
  expiresAt: field(Date),
}) {}

import { ID, ObjectType } from 'type-graphql';
import { clock, column, columns, hidden, Owned, Table } from '../../../platform/database/index.ts';
import { args, field, output } from '../../../platform/fields/index.ts';
import { PageOf, pageArguments } from '../../../platform/lists/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { ToolRequest } from '../tools/entity.ts';
import type { Identity } from '../visitors/entity.ts';

@ObjectType({
  description:
    'A decision about one call of a tool. An approved call is sent once, and only as the exact request that was approved.',
})
@Table('agent.approvals')
export class Approval extends columns(Owned, {
  agentId: column('uuid'),
  conversationId: column('uuid'),
  messageId: column('uuid', 'The reply that called the tool.'),
  toolCallId: column('text', 'The id of the call in the parts of the reply.'),
  visitorId: hidden('text'),
  toolId: hidden('uuid'),
  toolName: column('string', { length: 64 }),
  party: column(enumTypes.ApprovalParty),
  reason: column(enumTypes.ApprovalReason),
  text: column('text', 'The question: the confirmation of the tool with the arguments of the call.'),
  // JSONB would reorder the keys, and the hash of the request depends on them.
  input: hidden('json', { columnType: 'json' }).as<Record<string, unknown>>(),
  identity: hidden('json', { nullable: true, columnType: 'json' }).as<Identity>(),
  request: column(ToolRequest, { type: 'json', description: 'The request that an approval sends.' }),
  requestHash: hidden('text'),
  /** Whether the reply shows the requests of tools that write instead of sending them. */
  preview: hidden('boolean'),
  status: column(enumTypes.ApprovalStatus),
  createdAt: column('datetime', { initial: clock.now }),
  expiresAt: column('datetime', 'When a pending request for approval ends.'),
  decidedAt: column('datetime', { nullable: true }),
  decidedBy: column('uuid', { nullable: true, description: 'The user who decided; null for a visitor.' }),
  decidedByName: column('text', { nullable: true, description: 'The name of the user who decided.' }),
  sentAt: column('datetime', { nullable: true }),
  finishedAt: column('datetime', { nullable: true }),
  responseStatus: column('integer', { nullable: true, description: 'The HTTP status of the receiver; null if it did not answer.' }),
  result: hidden('json', { nullable: true }),
  error: column('text', { nullable: true, description: 'The reason why the call failed.' }),
}) {}

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

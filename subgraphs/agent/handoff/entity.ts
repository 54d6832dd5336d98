import { ID, Int, ObjectType } from 'type-graphql';
import { clock, column, columns, hidden, Owned, Table } from '../../../platform/database/index.ts';
import { args, field, list, output } from '../../../platform/fields/index.ts';
import { PageOf, pageArguments } from '../../../platform/lists/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { Approval } from '../approvals/entity.ts';
import { NewVisitor } from '../chat/types.ts';

@ObjectType({
  description: 'The handoff of a conversation from an agent to a person. A conversation has at most one that is open.',
})
@Table('agent.handoffs')
export class Handoff extends columns(Owned, {
  agentId: hidden('uuid'),
  conversationId: column('uuid'),
  status: column(enumTypes.HandoffStatus),
  requestedBy: column(enumTypes.HandoffParty),
  reason: column('text', { nullable: true, description: 'Why a person is needed, as the agent or the visitor wrote it.' }),
  operatorId: column('uuid', { nullable: true, description: 'The user who has or had the conversation.' }),
  operatorName: column('text', { nullable: true, description: 'The name that the visitor sees.' }),
  /** The version of the agent that wrote the last reply; the database finds that of a reply that has ended. */
  version: hidden('integer', { nullable: true }),
  awayUntil: column('datetime', {
    nullable: true,
    description: 'The next opening, if the request came outside of the office hours of the agent; null otherwise.',
  }),
  createdAt: column('datetime', { initial: clock.now }),
  takenAt: column('datetime', { nullable: true, description: 'When a person first took the conversation over.' }),
  endedAt: column('datetime', { nullable: true }),
  endedBy: column(enumTypes.HandoffParty, {
    nullable: true,
    description: 'Null while it is open, and when it ended because nobody was active.',
  }),
}) {}

/** Description of the argument `after` of the events of a conversation. */
export const AFTER = 'The last `sequence` that the client received. Without it, the subscription starts with the first event.';

@ObjectType({ description: 'A message of a conversation, as both sides of a handoff see it.' })
export class HandoffMessage extends output({
  id: field(ID),
  position: field(Int, 'Increases with each message of the conversation.'),
  role: field(enumTypes.MessageRole),
  text: field(String),
  authorName: field(String, { nullable: true, description: 'The name of the operator who wrote it.' }),
  createdAt: field(Date),
}) {}

@ObjectType({ description: 'One change of a conversation that was handed to people.' })
export class HandoffEvent extends output({
  sequence: field(Int, 'Increases with each event of the conversation. Numbers may be skipped.'),
  type: field(enumTypes.HandoffEventType),
  status: field(enumTypes.HandoffStatus, 'The status of the handoff after the event.'),
  party: field(enumTypes.HandoffParty, 'The party that caused the event.'),
  operatorName: field(String, { nullable: true, description: 'The name of the operator who has the conversation.' }),
  message: field(HandoffMessage, { nullable: true, description: 'Set for the type `message`.' }),
  seenTo: field(Int, {
    nullable: true,
    description: 'Position of the last message that `party` has seen. Set for the type `seen`.',
  }),
  createdAt: field(Date),
}) {}

@ObjectType({ description: 'The open handoffs of an organization.' })
export class HandoffQueue extends output({
  waiting: field(Int, 'Number of visitors who wait for a person.'),
  active: field(Int, 'Number of conversations that a person has.'),
  handoffs: list(Handoff, {
    assumedSize: 100,
    description: 'The open handoffs, waiting ones first and each oldest first; at most 100.',
  }),
  approvals: list(Approval, {
    assumedSize: 100,
    description: 'The calls of tools that wait for the approval of an operator, oldest first; at most 100.',
  }),
}) {}

export class HandoffsArguments extends args(pageArguments(50), {
  status: field(enumTypes.HandoffStatus, { nullable: true }),
  agentId: field(ID, { nullable: true, description: 'Only handoffs of this agent.' }),
}) {}

@ObjectType({ description: 'One page of handoffs.' })
export class HandoffPage extends PageOf(Handoff, 'HandoffPage') {}

export class VisitorMessageArguments extends args({
  text: field(String, { minLength: 1, maxLength: 20_000, pattern: /\S/ }),
  clientId: field(String, {
    maxLength: 128,
    nullable: true,
    description: 'An id that the client chose. A message with the same id is a retry and is stored once.',
  }),
}) {}

export class OperatorMessageArguments extends args(VisitorMessageArguments, {
  id: field(ID, 'The handoff.'),
}) {}

export class SeenArguments extends args({
  position: field(Int, { min: 1, description: 'Position of the last message that was shown.' }),
}) {}

export class OperatorSeenArguments extends args(SeenArguments, {
  id: field(ID, 'The handoff.'),
}) {}

export class HandoffRequest extends args(NewVisitor, {
  conversationId: field(ID, { nullable: true, description: 'Default: the newest conversation of the visitor, or a new one.' }),
  reason: field(String, {
    maxLength: 2_000,
    nullable: true,
    description: 'The request of the visitor in a few words. Operators see it.',
  }),
}) {}

@ObjectType({ description: 'A request of a visitor for a person.' })
export class RequestedHandoff extends output({
  id: field(ID),
  status: field(enumTypes.HandoffStatus),
  conversationId: field(ID),
  visitorId: field(String, 'Identifies the visitor in later requests. Keep it secret: it gives access to the conversation.'),
  createdAt: field(Date),
}) {}

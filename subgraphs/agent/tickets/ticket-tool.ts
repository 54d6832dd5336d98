import { GraphQLError } from 'graphql';
import { detached, type Scope, transaction } from '../../../platform/scope/index.ts';
import { log } from '../../../platform/telemetry/index.ts';
import { enums } from '../../../schema/enums.ts';
import { isObject } from '../../../schema/json.ts';
import { truncate } from '../../../schema/text.ts';
import type { Agent } from '../agents/entity.ts';
import { lockForRecord } from '../contacts/service.ts';
import { Conversation } from '../conversations/entity.ts';
import type { CallableTool } from '../tools/callable.ts';
import { Ticket } from './entity.ts';
import { insertTicket } from './service.ts';

export const TICKET_TOOL = 'create_support_ticket';

/** Maximum tickets that an agent raises in one conversation. */
const MAX_TICKETS = 3;

const text = (maxLength: number, description: string) => ({ type: 'string', maxLength, description });

const inputSchema = {
  type: 'object',
  properties: {
    subject: text(255, 'The problem in one line.'),
    description: text(20_000, 'Everything that the team needs to know.'),
    requesterEmail: text(320, 'E-mail address of the user, as the user wrote it.'),
    requesterName: text(255, 'Name of the user.'),
    priority: { type: 'string', enum: enums.TicketPriority.values },
  },
  required: ['subject', 'description', 'requesterEmail'],
  additionalProperties: false,
};

/** The built-in tool with which the model raises a support ticket for the user of a conversation. */
export function ticketTool(scope: Scope, { id: agentId }: Agent): CallableTool {
  const own = detached(scope);
  return {
    name: TICKET_TOOL,
    description: 'Raise a support ticket, so that a person replies by e-mail. Ask the user for the e-mail address first.',
    inputSchema,
    async call(input, { conversationId }) {
      try {
        const { ticketNumber } = await transaction(own, (inner) => raiseTicket(inner, agentId, conversationId, input));
        return { output: { ticketNumber } };
      } catch (error) {
        if (error instanceof GraphQLError) return { error: error.message };
        log.error({ err: error, conversationId }, 'Failed to raise a ticket');
        return { error: 'The ticket could not be created.' };
      }
    },
  };
}

async function raiseTicket(scope: Scope, agentId: string, conversationId: string, input: unknown): Promise<Ticket> {
  // The lock serializes the calls of one reply, so the count stays valid until the commit.
  await lockForRecord(scope, conversationId);
  const { summary } = await scope.em.findOneOrFail(Conversation, conversationId);
  if ((await scope.em.count(Ticket, { conversationId })) >= MAX_TICKETS)
    throw new GraphQLError('This conversation has several tickets already. The team will reply by e-mail.');
  const record = { source: 'ai_escalation', agentId, conversationId, conversationSummary: summary } as const;
  return insertTicket(scope, { ...readInput(input), ...record });
}

/** The model may send anything. */
function readInput(input: unknown) {
  const given = isObject(input) ? input : {};
  const read = (name: string, length: number) => {
    const value = given[name];
    return typeof value === 'string' ? truncate(value, length) : null;
  };
  return {
    subject: read('subject', 255),
    description: read('description', 20_000),
    requesterEmail: read('requesterEmail', 320),
    requesterName: read('requesterName', 255),
    priority: enums.TicketPriority.values.find((priority) => priority === given.priority) ?? null,
  };
}

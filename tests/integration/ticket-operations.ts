import { openIntegration } from './integration.ts';

export const ASSIGN =
  'mutation ($id: ID!, $userId: ID!) { assignTicket(id: $id, userId: $userId) { status assignedToUserId assignedToName } }';
export const STATUS = 'mutation ($id: ID!, $status: TicketStatus!) { setTicketStatus(id: $id, status: $status) { status } }';
export const REPLY = 'mutation ($id: ID!, $text: String!) { replyToTicket(id: $id, text: $text) { status lastActivityAt } }';
export const REQUESTER_REPLY = 'mutation ($id: ID!, $text: String!) { addRequesterReply(id: $id, text: $text) { id status } }';
export const NOTE = 'mutation ($id: ID!, $text: String!) { addTicketNote(id: $id, text: $text) { status } }';
export const MERGE = 'mutation ($id: ID!, $duplicateId: ID!) { mergeTicket(id: $id, duplicateId: $duplicateId) { id } }';
export const READ = `query ($id: ID!) {
  ticket(id: $id) { status mergedIntoId contact { email } messages { nodes { kind authorName text } pagination { total } } }
}`;

/** An organization with an agent, whose tickets a test creates. */
export async function open() {
  const integration = await openIntegration();
  const create = async (input: object = {}) =>
    (await integration.post('/tickets', { agentId: integration.agent.id, subject: 'Broken lamp', ...input })).body;
  return { ...integration, create };
}

import type { MergeCandidatesQuery, TicketMessagesQuery, TicketQuery, TicketsQuery } from '../../../../.graph/graphql.ts';
import { graphql } from '../../../graph/graphql.ts';

export const TICKETS = graphql(`
  query Tickets($agentId: ID, $status: TicketStatus, $email: String, $ticketNumber: String, $before: Since, $limit: ListLimit!) {
    tickets(
      agentId: $agentId, status: $status, email: $email, ticketNumber: $ticketNumber, sort: "activity", before: $before, limit: $limit
    ) {
      id ticketNumber subject status priority requesterName requesterEmail assignedToName agentName lastActivityAt
    }
  }
`);
export const TICKET = graphql(`
  query Ticket($id: ID!) {
    ticket(id: $id) {
      id ticketNumber subject description status priority category source requesterName requesterEmail conversationId
      conversationSummary assignedToUserId assignedToName agentName mergedIntoId createdAt lastActivityAt contactId
    }
  }
`);
export const TICKET_MESSAGES = graphql(`
  query TicketMessages($id: ID!, $page: Int!) {
    ticket(id: $id) {
      id
      messages(page: $page, limit: 50) { nodes { id kind authorName text createdAt } pagination { total totalPages } }
    }
  }
`);
export const CANDIDATES = graphql(`
  query MergeCandidates($email: String, $ticketNumber: String) {
    tickets(email: $email, ticketNumber: $ticketNumber, sort: "activity", limit: 20) {
      id ticketNumber subject status requesterName requesterEmail mergedIntoId
    }
  }
`);
export const MERGE = graphql(`
  mutation MergeTicket($id: ID!, $duplicateId: ID!) { mergeTicket(id: $id, duplicateId: $duplicateId) { id } }
`);
export const MEMBERS = graphql(`query Assignees { organization { id members { user { id name email } } } }`);
export const CREATE_TICKET = graphql(`mutation CreateTicket($input: NewTicket!) { createTicket(input: $input) { id } }`);
export const ASSIGN = graphql(`
  mutation AssignTicket($id: ID!, $userId: ID!) { assignTicket(id: $id, userId: $userId) { id status assignedToUserId assignedToName } }
`);
export const SET_STATUS = graphql(
  `mutation SetTicketStatus($id: ID!, $status: TicketStatus!) { setTicketStatus(id: $id, status: $status) { id status } }`,
);
export const REPLY = graphql(
  `mutation ReplyToTicket($id: ID!, $text: String!) { replyToTicket(id: $id, text: $text) { id status } }`,
);
export const NOTE = graphql(`mutation AddTicketNote($id: ID!, $text: String!) { addTicketNote(id: $id, text: $text) { id } }`);
export const REQUESTER_REPLY = graphql(
  `mutation AddRequesterReply($id: ID!, $text: String!) { addRequesterReply(id: $id, text: $text) { id status } }`,
);

export type TicketRow = TicketsQuery['tickets'][number];
export type Candidate = MergeCandidatesQuery['tickets'][number];
export type Ticket = TicketQuery['ticket'];
export type TicketMessage = TicketMessagesQuery['ticket']['messages']['nodes'][number];

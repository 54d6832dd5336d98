import type { ContactQuery, ContactsQuery } from '../../../../.graph/graphql.ts';
import { graphql } from '../../../graph/graphql.ts';

export const CONTACTS = graphql(`
  query Contacts($page: Int!, $limit: Int!, $email: String) {
    contacts(page: $page, limit: $limit, email: $email) {
      nodes { id name email phone createdAt erasure { id } }
      pagination { total }
    }
  }
`);
export const CONTACT = graphql(`query Contact($id: ID!) { contact(id: $id) { id name email phone createdAt erasure { id } } }`);
export const CONTACT_LEADS = graphql(`
  query ContactLeads($id: ID!, $page: Int!) {
    contact(id: $id) {
      id
      leads(page: $page, limit: 10) {
        nodes { id name phone agentName conversationId createdAt }
        pagination { total totalPages }
      }
    }
  }
`);
export const CONTACT_TICKETS = graphql(`
  query ContactTickets($id: ID!, $page: Int!) {
    contact(id: $id) {
      id
      tickets(page: $page, limit: 10) { nodes { id ticketNumber subject status createdAt } pagination { total totalPages } }
    }
  }
`);
export const CONTACT_CONVERSATIONS = graphql(`
  query ContactConversations($id: ID!, $page: Int!) {
    contact(id: $id) {
      id
      conversations(page: $page, limit: 10) {
        nodes { id status lastMessageText lastMessageAt createdAt }
        pagination { total totalPages }
      }
    }
  }
`);
export const EXPORT = graphql(
  `query ExportContact($id: ID!, $after: String) { exportContact(id: $id, after: $after) { records endCursor } }`,
);
export const ERASE = graphql(`mutation EraseContact($id: ID!) { eraseContact(id: $id) { id completedAt } }`);
export const ERASURE = graphql(`
  query ContactErasure($id: ID!) {
    contactErasure(contactId: $id) { id conversations messages leads submissions tickets completedAt }
  }
`);

export type ContactRow = ContactsQuery['contacts']['nodes'][number];
export type Contact = ContactQuery['contact'];

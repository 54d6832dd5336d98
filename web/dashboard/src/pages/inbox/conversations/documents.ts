import type { ConversationQuery, ConversationsQuery, MessagesQuery } from '../../../../.graph/graphql.ts';
import { graphql } from '../../../graph/graphql.ts';

export const CONVERSATIONS = graphql(`
  query Conversations(
    $agentId: ID, $status: ConversationStatus, $handoffStatus: HandoffStatus, $rating: MessageRating, $search: String,
    $page: Int!, $limit: Int!
  ) {
    conversations(
      agentId: $agentId, status: $status, handoffStatus: $handoffStatus, rating: $rating, search: $search, channel: widget,
      page: $page, limit: $limit
    ) {
      nodes {
        id agentId visitorId status handoffStatus lastMessageText lastMessageAt createdAt
        openHandoff { id status operatorName unseenMessages }
      }
      pagination { total }
    }
  }
`);
export const CONVERSATION = graphql(`
  query Conversation($id: ID!) {
    conversation(id: $id) {
      id agentId visitorId channel status handoffStatus messageCount createdAt lastMessageAt
      contact { id name email }
      openHandoff { id status operatorId operatorName reason requestedBy unseenMessages createdAt }
    }
  }
`);
export const MESSAGES = graphql(`
  query Messages($id: ID!, $page: Int!, $limit: Int!) {
    conversation(id: $id) {
      id
      messages(page: $page, limit: $limit) {
        nodes {
          id position role text parts status error unanswered unsupported replaced authorName rating ratingComment credits createdAt
        }
      }
    }
  }
`);
export const HANDOFF_EVENTS = graphql(`
  subscription HandoffEvents($conversationId: ID!, $after: Int! = 0) {
    handoffEvents(conversationId: $conversationId, after: $after) { sequence type status party seenTo createdAt }
  }
`);
export const TAKE_OVER = graphql(`
  mutation TakeOver($conversationId: ID!, $force: Boolean! = false) {
    takeOverConversation(conversationId: $conversationId, force: $force) { id status operatorId operatorName }
  }
`);
export const SEND = graphql(`
  mutation SendOperatorMessage($id: ID!, $text: String!, $clientId: String!) {
    sendOperatorMessage(id: $id, text: $text, clientId: $clientId) { id }
  }
`);
export const TYPING = graphql(`mutation SetOperatorTyping($id: ID!) { setOperatorTyping(id: $id) }`);
export const SEEN = graphql(
  `mutation SetOperatorSeen($id: ID!, $position: Int!) { setOperatorSeen(id: $id, position: $position) }`,
);
export const RETURN = graphql(`mutation ReturnHandoff($id: ID!) { returnHandoff(id: $id) { id status } }`);
export const CLOSE = graphql(`mutation CloseHandoff($id: ID!) { closeHandoff(id: $id) { id status } }`);
export const SET_STATUS = graphql(`
  mutation SetConversationStatus($id: ID!, $status: ConversationStatus!) { setConversationStatus(id: $id, status: $status) { id status } }
`);
export const DELETE = graphql(`mutation DeleteConversation($id: ID!) { deleteConversation(id: $id) { id } }`);

export type ConversationRow = ConversationsQuery['conversations']['nodes'][number];
export type Conversation = ConversationQuery['conversation'];
export type Message = MessagesQuery['conversation']['messages']['nodes'][number];

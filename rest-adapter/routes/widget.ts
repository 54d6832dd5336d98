import { table } from '../route.ts';
import { widget as surface } from '../surfaces.ts';
import { conversationId, messages, uiMessageStream } from './agents.ts';

const publicSlug = 'support-desk-5f0c2a91d7e3b846';
const visitorHeader = { visitorId: 'x-visitor-id' };
const TICKET = 'ticketNumber subject status createdAt lastActivityAt messages { id isFromTeam authorName text createdAt }';
const refused = { NOT_FOUND: 'Agent not found', FORBIDDEN: 'The origin of this page may not embed the agent.' };

const visitorStream = {
  ...uiMessageStream,
  stream: { ...uiMessageStream.stream, headers: { ...uiMessageStream.stream.headers, 'X-Identity-Status': 'identityStatus' } },
};

const visitorKey = 'An `Idempotency-Key` needs `X-Visitor-Id`.';

export const widget = table(surface, {
  'GET /config': {
    summary: 'Read the configuration of an embedded widget',
    description: 'Pages of any origin may call it. `originAllowed` states whether the origin may chat.',
    graphql: `query ($publicSlug: String!) {
      widgetConfig(publicSlug: $publicSlug) {
        name welcomeMessage placeholder suggestedMessages theme branding features { voice handoff } originAllowed origin
      }
    }`,
    example: { params: { publicSlug } },
    errors: { NOT_FOUND: 'Agent not found' },
  },
  'GET /identity': {
    summary: 'Check the identity token of a visitor',
    description: 'States who the token names, or why it is not valid. It stores nothing.',
    graphql: `query ($publicSlug: String!) {
      widgetIdentity(publicSlug: $publicSlug) { status error subject name email expiresAt }
    }`,
    example: { params: { publicSlug } },
    errors: refused,
  },
  'POST /chat': {
    summary: 'Send a message of a visitor and stream the reply',
    description:
      'The stream is the UI message stream of the AI SDK. To continue a conversation, send `X-Visitor-Id` and `conversationId` of the first reply. `pageContext` is optional.',
    graphql: `subscription ($publicSlug: String!, $visitorId: String, $messages: [UIMessage!]!, $conversationId: ID, $id: String,
                            $trigger: String, $pageContext: JSONObject) {
      widgetChat(publicSlug: $publicSlug, visitorId: $visitorId, messages: $messages, conversationId: $conversationId, id: $id,
                 trigger: $trigger, pageContext: $pageContext) { part visitorId conversationId identityStatus }
    }`,
    ...visitorStream,
    headerVariables: visitorHeader,
    example: { params: { publicSlug }, body: { messages } },
    errors: {
      ...refused,
      CONFLICT: 'The previous message is still being answered. Please wait for the reply.',
      RATE_LIMITED: 'Rate limit exceeded',
    },
  },
  'POST /voice-token': {
    summary: 'Mint a token for a voice session at the model provider',
    graphql: `mutation ($publicSlug: String!, $visitorId: String) {
      mintVoiceToken(publicSlug: $publicSlug, visitorId: $visitorId) { token expiresAt model url }
    }`,
    headerVariables: visitorHeader,
    example: { params: { publicSlug }, body: {} },
    errors: {
      ...refused,
      OUT_OF_CREDITS: 'This assistant is currently unavailable. Please try again later.',
      UNAVAILABLE: 'Service Unavailable',
    },
  },
  'GET /handoff-token': {
    summary: 'Mint a token for the messages of people in a conversation',
    description: 'Without `conversationId` it is the newest conversation of the visitor.',
    graphql: `query ($publicSlug: String!, $visitorId: String, $conversationId: ID) {
      handoffToken(publicSlug: $publicSlug, visitorId: $visitorId, conversationId: $conversationId) { token expiresAt url }
    }`,
    headerVariables: visitorHeader,
    example: { params: { publicSlug } },
    errors: refused,
  },
  'GET /chat/:conversationId/stream': {
    summary: 'Read the running reply of a visitor from its start',
    description: 'The path accepts the chat id of the client too.',
    graphql: `subscription ($publicSlug: String!, $visitorId: String, $conversationId: ID!) {
      widgetChatReply(publicSlug: $publicSlug, visitorId: $visitorId, conversationId: $conversationId) {
        part visitorId conversationId identityStatus
      }
    }`,
    ...visitorStream,
    stream: { ...visitorStream.stream, none: 'No reply is running.' },
    headerVariables: visitorHeader,
    example: { params: { publicSlug, conversationId } },
    errors: refused,
  },
  'GET /conversation': {
    summary: 'Find the conversation with which a signed-in visitor goes on',
    description:
      'The newest open one with a message in the last 30 days. Null without one, and for a visitor who is not signed in.',
    graphql: `query ($publicSlug: String!, $visitorId: String) {
      widgetNewestConversation(publicSlug: $publicSlug, visitorId: $visitorId) { conversationId }
    }`,
    headerVariables: visitorHeader,
    example: { params: { publicSlug } },
    errors: refused,
  },
  'GET /chat/:conversationId': {
    summary: 'Read a conversation of a visitor',
    description:
      'It contains the newest messages: at most 100, and 4 MiB after the newest one. The path accepts the chat id of the client too. Read a reply with the status `running` as a stream.',
    graphql: `query ($publicSlug: String!, $visitorId: String, $conversationId: ID!) {
      widgetConversation(publicSlug: $publicSlug, visitorId: $visitorId, conversationId: $conversationId) {
        id handoffStatus operatorName eventSequence
        messages { id clientId position role status text parts authorName rating createdAt }
      }
    }`,
    headerVariables: visitorHeader,
    example: { params: { publicSlug, conversationId } },
    errors: { ...refused, NOT_FOUND: 'Conversation not found' },
  },
  'GET /chat/:conversationId/products': {
    summary: 'List the products of the replies in a conversation of a visitor',
    description: 'At most five for each of the newest ten replies with products, as the catalog has them now.',
    graphql: `query ($publicSlug: String!, $visitorId: String, $conversationId: ID!) {
      widgetProducts(publicSlug: $publicSlug, visitorId: $visitorId, conversationId: $conversationId) {
        messageId products { sku name brand price priceUnit url pictureUrl }
      }
    }`,
    envelope: { under: 'replies' },
    headerVariables: visitorHeader,
    example: { params: { publicSlug, conversationId } },
    errors: { ...refused, NOT_FOUND: 'Conversation not found' },
  },
  'GET /chat/:conversationId/approvals': {
    summary: 'List the approvals in a conversation of a visitor',
    description:
      'The newest 50, oldest first. Show `text` as plain text, and let the visitor decide about those with the party `visitor`.',
    graphql: `query ($publicSlug: String!, $visitorId: String, $conversationId: ID!) {
      widgetApprovals(publicSlug: $publicSlug, visitorId: $visitorId, conversationId: $conversationId) {
        id messageId toolCallId toolName party text status createdAt expiresAt
      }
    }`,
    envelope: { under: 'approvals' },
    headerVariables: visitorHeader,
    example: { params: { publicSlug, conversationId } },
    errors: refused,
  },
  'POST /approvals/:approvalId': {
    summary: 'Approve or refuse the call of a tool as its visitor',
    description:
      'The stream is the rest of the reply. An approved call is sent once. The same decision again streams the rest again, and sends nothing.',
    graphql: `subscription ($publicSlug: String!, $visitorId: String, $approvalId: ID!, $approved: Boolean!) {
      decideWidgetApproval(publicSlug: $publicSlug, visitorId: $visitorId, id: $approvalId, approved: $approved) {
        part visitorId conversationId identityStatus
      }
    }`,
    ...visitorStream,
    stream: { ...visitorStream.stream, none: 'Other calls of the reply wait for a decision.' },
    headerVariables: visitorHeader,
    example: { params: { publicSlug, approvalId: '01938d3e-7c1a-7000-8a52-5f0c2a91d7e4' }, body: { approved: true } },
    errors: {
      ...refused,
      NOT_FOUND: 'Approval not found',
      CONFLICT: 'This request has been decided already.',
      RATE_LIMITED: 'Rate limit exceeded',
    },
  },
  'GET /forms': {
    summary: 'List the forms that a visitor can fill in',
    graphql: `query ($publicSlug: String!) {
      widgetForms(publicSlug: $publicSlug) { name title fields { name label type required options } }
    }`,
    envelope: { under: 'forms' },
    example: { params: { publicSlug } },
    errors: refused,
  },
  'POST /forms/:formName/submissions': {
    summary: 'Submit a form of a visitor',
    description: `Emits \`form.submitted\`. ${visitorKey}`,
    graphql: `mutation ($publicSlug: String!, $formName: String!, $values: JSONObject!, $visitorId: String, $conversationId: ID) {
      submitWidgetForm(publicSlug: $publicSlug, formName: $formName, values: $values, visitorId: $visitorId,
                       conversationId: $conversationId) { id createdAt }
    }`,
    status: 201,
    headerVariables: visitorHeader,
    example: { params: { publicSlug, formName: 'returns' }, body: { values: { order: 'A-1001' } } },
    errors: { ...refused, NOT_FOUND: 'Form not found' },
  },
  'POST /leads': {
    summary: 'Submit the contact form of a visitor',
    description: `The visitor gives a name or an e-mail address. Emits \`lead.created\`. ${visitorKey}`,
    graphql: `mutation ($publicSlug: String!, $name: String, $email: String, $phone: String, $visitorId: String, $conversationId: ID) {
      submitWidgetContact(publicSlug: $publicSlug, name: $name, email: $email, phone: $phone, visitorId: $visitorId,
                          conversationId: $conversationId) { id createdAt }
    }`,
    status: 201,
    headerVariables: visitorHeader,
    example: { params: { publicSlug }, body: { name: 'Ada Lovelace', email: 'ada@example.com' } },
    errors: refused,
  },
  'POST /handoff': {
    summary: 'Ask for a person',
    description:
      'The agent answers until somebody takes the conversation over. Without `conversationId` it is the newest conversation of the visitor, or a new one.',
    graphql: `mutation ($publicSlug: String!, $visitorId: String, $conversationId: ID, $reason: String) {
      requestHandoff(publicSlug: $publicSlug, visitorId: $visitorId, conversationId: $conversationId, reason: $reason) {
        id status conversationId visitorId createdAt
      }
    }`,
    status: 201,
    headerVariables: visitorHeader,
    example: { params: { publicSlug }, body: { reason: 'I want to change my order.' } },
    errors: refused,
  },
  'GET /tickets': {
    summary: 'List the tickets of a visitor with the replies of the team',
    graphql: `query ($publicSlug: String!, $visitorId: String) {
      widgetTickets(publicSlug: $publicSlug, visitorId: $visitorId) { ${TICKET} }
    }`,
    envelope: { under: 'tickets' },
    headerVariables: visitorHeader,
    example: { params: { publicSlug } },
    errors: refused,
  },
  'POST /tickets/:ticketNumber/replies': {
    summary: 'Reply to a ticket as its requester',
    description: 'The ticket becomes `on_you`, also when it was closed. Emits `ticket.status_changed` if the status changes.',
    graphql: `mutation ($publicSlug: String!, $ticketNumber: String!, $text: String!, $visitorId: String) {
      replyToWidgetTicket(publicSlug: $publicSlug, ticketNumber: $ticketNumber, text: $text, visitorId: $visitorId) { ${TICKET} }
    }`,
    status: 201,
    headerVariables: visitorHeader,
    example: { params: { publicSlug, ticketNumber: 'TKT-1001' }, body: { text: 'It still does not work.' } },
    errors: { ...refused, NOT_FOUND: 'Ticket not found', RATE_LIMITED: 'Rate limit exceeded' },
  },
  'POST /messages/:messageId/rating': {
    summary: 'Rate a reply',
    description: 'A later rating replaces the earlier one, and null removes it. `rating` is required.',
    graphql: `mutation ($publicSlug: String!, $messageId: ID!, $visitorId: String, $rating: MessageRating, $comment: String) {
      rateMessage(publicSlug: $publicSlug, messageId: $messageId, visitorId: $visitorId, rating: $rating, comment: $comment) {
        id rating comment
      }
    }`,
    headerVariables: visitorHeader,
    example: {
      params: { publicSlug, messageId: '01938d3e-7c1a-7000-8a52-5f0c2a91d7e3' },
      body: { rating: 'up', comment: 'Thanks!' },
    },
    errors: { ...refused, NOT_FOUND: 'Message not found' },
  },
});

import { table } from '../route.ts';
import { admin } from '../surfaces.ts';
import { conversationExample as conversationId, messageExample as messages, uiMessageStream } from '../ui-message-stream.ts';

const organization = 'acme';
const agentId = '0192f0c1-7a3e-7c55-9d0e-3f6f0b6f2a11';

export const agents = table(admin, {
  'GET /': {
    summary: 'List the agents of an organization, by name',
    graphql: `query { agents { id name slug publicSlug modelType } }`,
    envelope: { with: { success: true }, under: 'data.agents' },
    example: { params: { organization } },
  },
  'POST /': {
    summary: 'Create an agent',
    description: 'The server generates the public slug, and derives the slug from the name if it is absent.',
    graphql: `mutation ($input: NewAgent!) {
      createAgent(input: $input) {
        id name slug publicSlug modelType systemPrompt welcomeMessage placeholder suggestedMessages temperature theme branding
        allowedOrigins maxTokensPerMessage maxRetrievalTokens publicAccess voiceEnabled createdAt updatedAt
      }
    }`,
    status: 201,
    envelope: { with: { success: true }, under: 'data.agent' },
    example: { params: { organization }, body: { name: 'Support desk', welcomeMessage: 'How can we help?' } },
    errors: {
      CONFLICT: 'An agent with the slug support-desk already exists',
      UNPROCESSABLE: 'An organization has at most 1,000 agents.',
    },
  },
  'POST /:agentId/chat': {
    summary: 'Send a message to an agent and stream its reply',
    description:
      'The stream is the UI message stream of the AI SDK. The reply continues when the client disconnects. Without credits the reply is a fixed text.',
    graphql: `subscription ($agentId: ID!, $messages: [UIMessage!]!, $conversationId: ID, $id: String, $trigger: String) {
      chat(agentId: $agentId, messages: $messages, conversationId: $conversationId, id: $id, trigger: $trigger) {
        part visitorId conversationId
      }
    }`,
    ...uiMessageStream,
    example: { params: { organization, agentId }, body: { messages } },
    errors: {
      NOT_FOUND: 'Agent not found',
      CONFLICT: 'The previous message is still being answered. Please wait for the reply.',
    },
  },
  'GET /:agentId/chat/:conversationId/stream': {
    summary: 'Read the running reply of a conversation from its start',
    description: 'The path accepts the chat id of the client too.',
    graphql: `subscription ($agentId: ID!, $conversationId: ID!) {
      chatReply(agentId: $agentId, conversationId: $conversationId) { part visitorId conversationId }
    }`,
    ...uiMessageStream,
    stream: { ...uiMessageStream.stream, none: 'No reply is running.' },
    example: { params: { organization, agentId, conversationId } },
    errors: { NOT_FOUND: 'Conversation not found' },
  },
});

import { type Row, type StreamFormat, table } from '../route.ts';
import { admin, exposedToPages } from '../surfaces.ts';

/** The format of rows that stream a reply to clients of the AI SDK. */
export const uiMessageStream: Pick<Row, 'headers'> & { stream: StreamFormat } = {
  stream: {
    data: 'part',
    headers: { 'X-Visitor-Id': 'visitorId', 'X-Conversation-Id': 'conversationId' },
    end: '[DONE]',
    result: { text: { type: 'text-delta', key: 'delta' } },
    pair: { open: 'text-start', close: 'text-end', key: 'id' },
    failure: [{ type: 'error', errorText: '{message}' }, { type: 'finish-step' }, { type: 'finish' }],
  },
  headers: {
    'x-vercel-ai-ui-message-stream': 'v1',
    'access-control-expose-headers': exposedToPages,
  },
};

export const messages = [{ role: 'user', parts: [{ type: 'text', text: 'When are you open?' }] }];
export const conversationId = '7d9f7f0e-6f0a-4a57-9d38-0a1d2b8f5c11';

const organization = 'acme';
const agentId = '0191e7a4-6d2c-7c3e-9a51-1f2d3c4b5a6c';

export const agentChat = table(admin, {
  'POST /{agentId}/chat': {
    summary: 'Send a message to an agent and stream its reply',
    description:
      'The stream is the UI message stream of the AI SDK. The reply continues when the client disconnects. Without credits the reply is a fixed text.',
    toolName: 'chat_with_agent',
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
  'GET /{agentId}/chat/{conversationId}/stream': {
    summary: 'Read the running reply of a conversation from its start',
    description: 'The path accepts the chat id of the client too.',
    toolName: 'read_chat_reply',
    graphql: `subscription ($agentId: ID!, $conversationId: ID!) {
      chatReply(agentId: $agentId, conversationId: $conversationId) { part visitorId conversationId }
    }`,
    ...uiMessageStream,
    stream: { ...uiMessageStream.stream, none: 'No reply is running.' },
    example: { params: { organization, agentId, conversationId } },
    errors: { NOT_FOUND: 'Conversation not found' },
  },
});

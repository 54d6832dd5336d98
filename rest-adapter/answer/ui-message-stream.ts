import type { Row, StreamFormat } from '../route.ts';
import { exposedToPages } from '../surfaces.ts';

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

export const messageExample = [{ role: 'user', parts: [{ type: 'text', text: 'When are you open?' }] }];
export const conversationExample = '7d9f7f0e-6f0a-4a57-9d38-0a1d2b8f5c11';

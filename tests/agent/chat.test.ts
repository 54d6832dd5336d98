import { startChatProvider } from '../support/chat-provider.ts';
import { startGateway } from '../support/gateway.ts';
import { question, seedAgent, send, textOf, typesOf } from './chatting.ts';

const provider = await startChatProvider();
const gateway = await startGateway({ OPENAI_BASE_URL: provider.url });
afterAll(async () => {
  await gateway.stop();
  await provider.close();
});
const acme = await seedAgent(gateway.url, { systemPrompt: 'Be kind.' });
const withKey = { 'x-api-key': acme.key };

test('a reply is the exact UI message stream', async () => {
  provider.on('exact', (response) => response.text('Hello').text(' there').finish());
  const reply = await send(acme.adminPath, question('exact'), withKey);
  expect(reply.status).toBe(200);
  expect(Object.fromEntries(reply.headers)).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    'x-vercel-ai-ui-message-stream': 'v1',
    'x-accel-buffering': 'no',
    'x-visitor-id': acme.owner.id,
    'x-conversation-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    'access-control-expose-headers': expect.stringMatching(/X-Visitor-Id, X-Conversation-Id/),
  });
  expect(reply.parts).toEqual([
    { type: 'start', messageId: expect.any(String) },
    { type: 'start-step' },
    { type: 'text-start', id: 'text-1' },
    { type: 'text-delta', id: 'text-1', delta: 'Hello' },
    { type: 'text-delta', id: 'text-1', delta: ' there' },
    { type: 'text-end', id: 'text-1' },
    { type: 'finish-step' },
    { type: 'finish' },
  ]);
  expect(reply.isDone).toBe(true);
  expect(typesOf(reply.parts)).toHaveLength(8);
  expect(textOf(reply.parts)).toBe('Hello there');
});

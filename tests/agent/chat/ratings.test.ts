import { randomUUID } from 'node:crypto';
import { startChatProvider } from '../../support/chat-provider.ts';
import { openGateway } from '../../support/gateway.ts';
import { ORIGIN, question, seedAgent, send } from './chatting.ts';

const provider = await startChatProvider();
const gateway = await openGateway({ OPENAI_BASE_URL: provider.url });
afterAll(async () => {
  await gateway.stop();
  await provider.close();
});
const acme = await seedAgent(gateway.url);
const chat = (text: string) => send(acme.widgetPath, question(text), { origin: ORIGIN });
const first = await chat('first');
const second = await chat('second');

async function rate(messageId: string, body: object, headers: Record<string, string>) {
  const response = await fetch(acme.widgetPath.replace(/chat$/, `messages/${messageId}/rating`), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}
const own = { origin: ORIGIN, 'x-visitor-id': first.visitorId };
const reply = first.parts[0]!.messageId as string;

const READ = `query ($id: ID!, $rating: MessageRating) {
  conversation(id: $id) { messages(rating: $rating) { nodes { id rating ratingComment ratedAt } pagination { total } } }
}`;
const LIST = 'query ($rating: MessageRating) { conversations(rating: $rating) { nodes { id } } }';
const listed = async (rating: string) =>
  (await acme.admin.graphql(LIST, { rating })).conversations.nodes.map(({ id }: { id: string }) => id);

test('a visitor rates a reply, changes the rating and removes it, and owners filter by it', async () => {
  expect(await rate(reply, { rating: 'down', comment: ' Too short. ' }, own)).toEqual({
    status: 200,
    body: { id: reply, rating: 'down', comment: 'Too short.' },
  });
  expect([await listed('down'), await listed('up')]).toEqual([[first.conversationId], []]);
  expect((await rate(reply, { rating: 'up' }, own)).body).toEqual({ id: reply, rating: 'up', comment: null });
  expect([await listed('down'), await listed('up')]).toEqual([[], [first.conversationId]]);
  const { messages } = (await acme.admin.graphql(READ, { id: first.conversationId, rating: 'up' })).conversation;
  expect(messages).toEqual({
    nodes: [{ id: reply, rating: 'up', ratingComment: null, ratedAt: expect.any(String) }],
    pagination: { total: 1 },
  });
  expect((await rate(reply, { rating: null }, own)).body.rating).toBeNull();
  expect(await listed('up')).toEqual([]);
});

test('only the visitor of the conversation rates it, only its replies, and only up or down', async () => {
  const strangers = [{ ...own, 'x-visitor-id': second.visitorId }, { origin: ORIGIN }, { ...own, 'x-visitor-id': randomUUID() }];
  for (const headers of strangers) expect((await rate(reply, { rating: 'up' }, headers)).status).toBe(404);
  expect((await rate(reply, { rating: 'up' }, { 'x-visitor-id': first.visitorId })).status).toBe(403);
  const { nodes } = (await acme.admin.graphql(READ, { id: first.conversationId })).conversation.messages;
  for (const id of [nodes[0].id, randomUUID(), 'x']) expect((await rate(id, { rating: 'up' }, own)).status).toBe(404);
  expect((await rate(reply, {}, own)).body.message).toBe('Invalid request body: rating is required');
  for (const rating of ['sideways', 5, {}]) expect((await rate(reply, { rating }, own)).status).toBe(400);
  expect((await rate(reply, { rating: 'up', comment: 'x'.repeat(2_001) }, own)).status).toBe(400);
});

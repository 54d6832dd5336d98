import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { ProviderFault } from '../../../platform/model/index.ts';
import { streamCompletion } from '../../../subgraphs/agent/chat/generate.ts';
import { fault, json, startProvider } from '../../model/support/provider.ts';
import { modelAt } from '../../model/support/samples.ts';
import { startChatProvider } from '../../support/chat-provider.ts';
import { database } from '../../support/seed.ts';
import { startGateway } from '../../support/system.ts';
import { creditsOf, question, seedAgent, send, textOf, typesOf } from './chatting.ts';

const provider = await startChatProvider();
const gateway = await startGateway({ OPENAI_BASE_URL: provider.url, MODEL_TIMEOUT: '2' });
afterAll(async () => {
  await gateway.stop();
  await provider.close();
});
const acme = await seedAgent(gateway.url, {}, { credits: 100 });
const { ask } = acme;
const credits = () => creditsOf(acme.id);
const stored = async (conversationId: string) =>
  (
    await database().query(
      `select status, error, text, credits::float from agent.messages where conversation_id = $1 and role = 'assistant'`,
      [conversationId],
    )
  ).rows[0];
const ERROR = { type: 'error', errorText: 'The reply could not be completed. Please try again.' };

test('a 429 before the stream is retried without a trace', async () => {
  provider.on('busy', (response, _, times) => {
    if (times < 3) response.refuse(429, { 'retry-after-ms': '10' });
    else response.text('At last').finish();
  });
  const { parts } = await ask('busy');
  expect(textOf(parts)).toBe('At last');
  expect(typesOf(parts)).not.toContain('error');
});

test.each([
  ['at once', 0, 'three times', 3],
  ['after half a minute', 30_000, 'once', 1],
])('a completion that fails %s, after %i ms, is tried %s', async (_name, lateMs, _times, attempts) => {
  await using failing = await startProvider(json(500, fault(null), { 'retry-after-ms': '10' }));
  const now = performance.now.bind(performance);
  let late = 0;
  const spy = jest.spyOn(performance, 'now').mockImplementation(() => now() + late);
  const request = { messages: [{ role: 'user' as const, content: 'hello' }], maxTokens: 10 };
  const sink = { text() {}, toolCall() {} };
  const completion = streamCompletion(modelAt(failing.url), 'agent-chat-v1', request, sink, new AbortController().signal);
  late = lateMs;
  await expect(completion).rejects.toBeInstanceOf(ProviderFault);
  spy.mockRestore();
  expect(failing.received).toHaveLength(attempts);
});

test('a temperature that the model does not support is left out', async () => {
  provider.on('strict', (response, { temperature }) => {
    if (temperature === undefined) response.text('Fine').finish();
    else response.refuse(400);
  });
  expect(textOf((await ask('strict')).parts)).toBe('Fine');
});

test.each([
  ['429 forever', (response) => response.refuse(429, { 'retry-after-ms': '10' })],
  ['garbage', (response) => response.raw('data: {"choices": [{"mess\n\n').response.end()],
  ['no event stream', (response) => response.response.setHeader('content-type', 'application/json').end('{"choices": [{"mess')],
  ['an empty answer', (response) => response.finish()],
  ['silence', () => {}],
  ['a wrong key', (response) => response.refuse(401)],
] as [string, Parameters<typeof provider.on>[1]][])('%s ends as an error and costs nothing', async (name, script) => {
  provider.on(`fault:${name}`, script);
  const before = await credits();
  const { parts, isDone, conversationId } = await ask(`fault:${name}`);
  expect(parts.slice(1)).toEqual([{ type: 'start-step' }, ERROR, { type: 'finish-step' }, { type: 'finish' }]);
  expect(isDone).toBe(true);
  expect(await credits()).toBe(before);
  expect(await stored(conversationId)).toMatchObject({ status: 'failed', error: expect.any(String), credits: 0 });
});

test.each([
  ['an error event', (response) => response.raw('data: {"error": {"message": "Rate limit", "code": "429"}}\n\n').response.end()],
  ['a broken connection', (response) => setTimeout(() => response.response.destroy(), 50)],
  ['silence', () => {}],
  ['an early end', (response) => response.response.end()],
] as [string, Parameters<typeof provider.on>[1]][])('%s in the middle closes the text and keeps it', async (name, script) => {
  provider.on(`middle:${name}`, async (response, request, times) => {
    response.text('Half of ');
    await sleep(150);
    script(response, request, times);
  });
  const before = await credits();
  const { parts, isDone, conversationId } = await ask(`middle:${name}`);
  expect(typesOf(parts)).toEqual(['start', 'start-step', 'text-start', 'text-delta', 'text-end', 'error', 'finish-step', 'finish']);
  expect(parts.at(-3)).toEqual(ERROR);
  expect(isDone).toBe(true);
  expect(await stored(conversationId)).toMatchObject({ status: 'failed', text: 'Half of', credits: 0 });
  expect(await credits()).toBe(before);
});

test('text that PostgreSQL cannot store is repaired, also across deltas', async () => {
  provider.on('odd text', (response) => response.text('a\u0000b').text(' \ud83d').text('\ude00 \ud800').text('!').finish());
  const { parts, conversationId } = await ask('odd text');
  expect(textOf(parts)).toBe('ab 😀 �!');
  expect(await stored(conversationId)).toMatchObject({ status: 'complete', text: 'ab 😀 �!' });
});

test('the next message after a failure does not show the failed reply to the model', async () => {
  provider.on('recover', (response, _, times) => (times === 1 ? response.refuse(401) : response.text('Now').finish()));
  const { conversationId } = await ask('recover');
  await send(acme.adminPath, { ...question('recover'), conversationId }, { 'x-api-key': acme.key });
  expect(provider.requests('recover').at(-1)!.messages.slice(1)).toEqual([
    { role: 'user', content: 'recover' },
    { role: 'user', content: 'recover' },
  ]);
});

test.each([
  {},
  { prompt_tokens: 3 },
  { prompt_tokens: 10, completion_tokens: 1.5 },
  { prompt_tokens: 3e9 },
  { prompt_tokens: '7' },
])('a reply with the token counts %j is complete', async (usage) => {
  const name = `counts ${JSON.stringify(usage)}`;
  provider.on(name, (response) => {
    response.text('Fine').chunk({ delta: {}, finish_reason: 'stop' });
    response.raw(`data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`).response.end();
  });
  const { parts, conversationId } = await ask(name);
  expect([textOf(parts), typesOf(parts).includes('error')]).toEqual(['Fine', false]);
  expect(await stored(conversationId)).toMatchObject({ status: 'complete', text: 'Fine' });
});

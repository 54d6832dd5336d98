import { AsyncLocalStorage } from 'node:async_hooks';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { jest } from '@jest/globals';
import { ProviderFault, ProviderRefusal } from '../../platform/model/faults.ts';
import { inBackground } from '../../platform/model/request-queue.ts';
import { log } from '../../platform/telemetry/index.ts';
import { until } from '../support/until.ts';
import { fault, json, raw, says, startProvider, type Turn } from './support/provider.ts';
import { modelAt } from './support/samples.ts';

const ask = { messages: [{ role: 'user' as const, content: 'hello' }] };
const hang: Turn = () => {};
const hangMidway: Turn = (response) => response.writeHead(200, { 'content-type': 'application/json' }).write('{"id":');
const cut: Turn = (response) => response.destroy();

async function failure(turn: Turn, more = {}, signal?: AbortSignal): Promise<{ error: unknown; requests: number }> {
  await using provider = await startProvider(turn);
  const error = await modelAt(provider.url, more)
    .complete('budget-v1', ask, signal)
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  return { error, requests: provider.received.length };
}

test.each<[string, Turn, number | undefined]>([
  ['too many requests', json(429, fault('rate_limit_exceeded'), { 'retry-after': '7' }), 7000],
  ['too many requests, in milliseconds', json(429, fault(null), { 'retry-after-ms': '250' }), 250],
  ['too many requests, no wait named', json(429, fault(null)), undefined],
  ['a server error', json(500, fault(null)), undefined],
  ['an overloaded server', json(503, fault(null), { 'retry-after': '1' }), 1000],
  ['a body that is no JSON', raw('{"id": "c1", "choi'), undefined],
  ['a body of another type', raw('<html>hello</html>', 'text/html'), undefined],
  ['a closed connection', cut, undefined],
])('%s is retryable, and the client does not retry it itself', async (_, turn, retryAfterMs) => {
  const { error, requests } = await failure(turn);
  expect(error).toBeInstanceOf(ProviderFault);
  expect(error).toMatchObject({ retryAfterMs });
  expect(requests).toBe(1);
});

test('a Retry-After date is parsed', async () => {
  const date = new Date(Date.now() + 30_000).toUTCString();
  const { error } = await failure(json(429, fault(null), { 'retry-after': date }));
  expect((error as ProviderFault).retryAfterMs).toBeGreaterThan(25_000);
});

test.each([
  ['no answer', hang],
  ['half an answer', hangMidway],
])('%s is a retryable error', async (_, turn) => {
  const { error } = await failure(turn, { timeoutMs: 200 });
  expect(error).toBeInstanceOf(ProviderFault);
  expect((error as Error).message).toMatch(/did not answer in time/);
});

test('an unreachable provider is a retryable error', async () => {
  const provider = await startProvider(hang);
  await provider[Symbol.asyncDispose]();
  await expect(modelAt(provider.url).complete('budget-v1', ask)).rejects.toThrow(/cannot be reached/);
});

test('cancellation by the caller is not a provider error', async () => {
  const { error } = await failure(hang, {}, AbortSignal.timeout(100));
  expect(error).toMatchObject({ name: 'TimeoutError' });
});

test.each([
  ['the caller gives it up', { timeoutMs: 60_000 }, 100],
  ['its time is over', { timeoutMs: 100 }, undefined],
])('the connection of a request is closed at once when %s', async (_, more, givenUpAfter) => {
  const closed = Promise.withResolvers<void>();
  await using provider = await startProvider((response) => void response.on('close', closed.resolve));
  const asked = modelAt(provider.url, more).complete(
    'budget-v1',
    ask,
    givenUpAfter ? AbortSignal.timeout(givenUpAfter) : undefined,
  );
  await expect(asked).rejects.toThrow();
  await closed.promise;
});

test('the connection of a stream is closed when its reader leaves', async () => {
  const closed = Promise.withResolvers<void>();
  await using provider = await startProvider((response) => {
    response.on('close', closed.resolve).writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'a' } }] })}\n\n`);
  });
  for await (const _ of modelAt(provider.url).stream('agent-chat-v1', { ...ask, maxTokens: 10 })) break;
  await closed.promise;
});

test('the connection of a stream that was read to its end serves the next one, also if it ends later than the completion', async () => {
  const sockets = new Set<Socket>();
  let ended = 0;
  await using provider = await startProvider((response) => {
    sockets.add(response.socket!);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'a' } }] })}\r\n\r\ndata: [DONE]\r\n\r\n`);
    setTimeout(() => response.end(() => (ended += 1)), 50);
  });
  const model = modelAt(provider.url);
  for (let reply = 1; reply <= 3; reply += 1) {
    const texts: unknown[] = [];
    for await (const { choices } of model.stream('agent-chat-v1', { ...ask, maxTokens: 10 })) texts.push(choices[0]!.delta.content);
    expect(texts).toEqual(['a']);
    await until(() => ended === reply);
    // The client frees the connection after it has received the end.
    await wait(20);
  }
  expect(sockets.size).toBe(1);
});

const STREAM = { ...ask, maxTokens: 10 };
const delta = (content: string) => JSON.stringify({ choices: [{ index: 0, delta: { content } }] });

async function textOf(url: string): Promise<string> {
  let text = '';
  for await (const { choices } of modelAt(url).stream('agent-chat-v1', STREAM)) text += choices[0]!.delta.content;
  return text;
}

test.each<[string, (response: ServerResponse) => void]>([
  ['is cut', (response) => setTimeout(() => response.destroy(), 20)],
  ['never ends', () => {}],
])('a completion is complete with its last event, also when the body %s after it', async (_, after) => {
  await using provider = await startProvider((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`data: ${delta('all')}\n\ndata: [DONE]\n\n`);
    after(response);
  });
  expect(await textOf(provider.url)).toBe('all');
});

test.each([
  ['an event of errors', `event: error\ndata: ${JSON.stringify({ message: 'overloaded', type: 'overloaded_error' })}\n\n`],
  ['an error in the data', `data: ${JSON.stringify({ error: { message: 'overloaded', type: 'server_error' } })}\n\n`],
])('%s in the middle of a stream fails the completion, which may be tried again', async (_, event) => {
  await using provider = await startProvider(
    raw(`data: ${delta('ha')}\n\n${event}data: ${delta('lf')}\n\ndata: [DONE]\n\n`, 'text/event-stream'),
  );
  await expect(textOf(provider.url)).rejects.toBeInstanceOf(ProviderFault);
});

test('a time-out while other requests are answered is a sign of a queue', async () => {
  const answer = says('ok');
  await using provider = await startProvider(hang, answer, hang);
  const model = modelAt(provider.url, { timeoutMs: 2_000 });
  const complete = () => inBackground('acme', () => model.complete('budget-v1', ask));
  const first = complete();
  await until(() => provider.received.length === 1);
  await complete();
  await expect(first).rejects.toMatchObject({ wasQueued: true });
  expect(model.concurrency('budget-v1')).toBe(1);
  await expect(complete()).rejects.toMatchObject({ wasQueued: false });
});

test('a call that has ended does not hold the context of its caller until its time limit', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const storage = new AsyncLocalStorage<object>();
  const call = async () => {
    const context = {};
    await storage.run(context, () => failure(json(500, fault(null)), { timeoutMs: 60_000 }));
    return new WeakRef(context);
  };
  const held = await call();
  for (let times = 0; times < 20 && held.deref(); times += 1) {
    await wait(50);
    collect();
  }
  expect(held.deref()).toBeUndefined();
});

const UNAVAILABLE = 'The model provider does not accept requests of this service.';

test.each<[number, string | null, string, string | undefined]>([
  [401, 'invalid_api_key', UNAVAILABLE, 'the API key is not accepted; check OPENAI_API_KEY'],
  [403, null, UNAVAILABLE, 'the API key may not use the model'],
  [404, 'model_not_found', UNAVAILABLE, 'the model is unknown; check OPENAI_BASE_URL and the MODEL_ variables'],
  [400, 'context_length_exceeded', 'The text is too long for the model.', undefined],
  [400, null, 'The model provider refused the request with status 400.', undefined],
  [429, 'insufficient_quota', UNAVAILABLE, 'the account has no quota left; add credit or raise its limit'],
])('status %i (%s) is not retried, and only the log has a hint for the operator', async (status, code, sentence, hint) => {
  const logged = jest.spyOn(log, 'warn').mockImplementation(() => {});
  const { error } = await failure(json(status, fault(code, 'Incorrect API key provided: sk-test-secret')));
  expect(error).toBeInstanceOf(ProviderRefusal);
  expect((error as Error).message).toBe(sentence);
  expect(String((error as Error).stack)).not.toContain('sk-test');
  expect(logged.mock.calls).toEqual([[expect.objectContaining({ status, hint }), 'Model provider request failed']]);
  expect(JSON.stringify(logged.mock.calls)).not.toContain('sk-test');
  logged.mockRestore();
});

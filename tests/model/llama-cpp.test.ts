import { readFileSync } from 'node:fs';
import { ProviderRefusal } from '../../platform/model/faults.ts';
import { streamCompletion } from '../../subgraphs/agent/chat/generate.ts';
import { startProvider } from './support/provider.ts';
import { modelAt } from './support/samples.ts';

interface Recorded {
  status: number;
  type: string;
  /** The events of a stream, or a JSON body. */
  body: string[] | object;
}

/** Responses of llama.cpp's server, with a base model of 270 million parameters and a chat template with tools. */
const recorded = JSON.parse(readFileSync(new URL('recorded/llama-cpp.json', import.meta.url), 'utf8')) as Record<
  'completion' | 'stream' | 'toolCalls' | 'embeddings' | 'responses' | 'malformed' | 'tooLong',
  Recorded
>;

const replay = ({ status, type, body }: Recorded) =>
  startProvider((response) => {
    response.writeHead(status, { 'content-type': type });
    response.end(Array.isArray(body) ? body.map((event) => `${event}\n\n`).join('') : JSON.stringify(body));
  });
const messages = [{ role: 'user' as const, content: 'hello' }];

/** The completion of a recorded stream, as an agent reads it. */
async function readStream(stream: Recorded) {
  await using provider = await replay(stream);
  const deltas: string[] = [];
  const sink = { text: (delta: string) => void deltas.push(delta), toolCall() {} };
  const request = { messages, maxTokens: 60 };
  const completion = await streamCompletion(modelAt(provider.url), 'agent-chat-v1', request, sink, new AbortController().signal);
  return { completion, deltas };
}

test('a structured answer and its usage are read', async () => {
  await using provider = await replay(recorded.completion);
  const { choices, usage } = await modelAt(provider.url).complete('budget-v1', { messages });
  expect(JSON.parse(choices[0]!.message.content!)).toEqual({ color: 'red' });
  expect(usage).toMatchObject({ prompt_tokens: 32, completion_tokens: 32 });
});

test('a stream is read token by token, with the usage of its last event', async () => {
  const { completion, deltas } = await readStream(recorded.stream);
  expect(completion).toMatchObject({ model: 'gemma.gguf', inputTokens: 26, outputTokens: 12, calls: [] });
  expect(deltas.join('')).toBe(completion.text);
  expect(deltas[0]).toBe('Say');
});

test('calls of tools are read from their pieces', async () => {
  const { completion } = await readStream(recorded.toolCalls);
  expect(completion.calls[0]).toEqual({ id: expect.any(String), name: 'weather', arguments: '{"city": "Paris"}' });
  expect(new Set(completion.calls.map(({ id }) => id)).size).toBe(completion.calls.length);
});

test('embeddings in base64 are read, although the server ignores the number of dimensions', async () => {
  await using provider = await replay(recorded.embeddings);
  const vectors = await modelAt(provider.url).embed(['a red lamp', 'a blue chair']);
  expect(vectors.map(({ length }) => length)).toEqual([512, 512]);
});

test('the Responses API ignores the web search, so its answers cite nothing', async () => {
  await using provider = await replay(recorded.responses);
  const model = modelAt(provider.url);
  expect(model.webSearch).toBe('off');
  const { output } = await model.respond('budget-v1', { input: 'hi' });
  expect(output).toMatchObject([{ type: 'message', content: [{ annotations: [] }] }]);
});

test.each([
  ['a malformed request', recorded.malformed, 'The model provider refused the request with status 400.'],
  ['a prompt beyond the context', recorded.tooLong, 'The text is too long for the model.'],
])('%s is refused with a readable message', async (_, answer, message) => {
  await using provider = await replay(answer);
  const error = await modelAt(provider.url)
    .complete('budget-v1', { messages })
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ProviderRefusal);
  expect((error as Error).message).toBe(message);
});

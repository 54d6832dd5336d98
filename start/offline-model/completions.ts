import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { isObject, type JsonObject } from '../../schema/json.ts';
import { answerChat, type ChatAnswer } from './conversation/answer-chat.ts';
import { answerFrom } from './conversation/passage-answers.ts';
import { playCustomer } from './conversation/played-customer.ts';
import { type ChatRequest, OFFLINE_MODEL, readChatRequest } from './openai-protocol.ts';
import { extract, validate } from './reading/attribute-answers.ts';
import { nameColumns, readColumnQuestion } from './reading/column-names.ts';
import { readExtraction, readMaterial } from './reading/extraction-request.ts';
import { readOffers } from './reading/offer-pages.ts';
import { listProducts, readListedPage } from './reading/product-lists.ts';

/** Handle `/chat/completions`, with or without streaming. */
export async function complete(response: ServerResponse, body: unknown): Promise<void> {
  const request = readChatRequest(body);
  const answer = answerFor(request);
  const content = 'content' in answer ? answer.content : null;
  const calls = 'call' in answer ? [callOf(answer.call)] : undefined;
  const finishReason = calls ? 'tool_calls' : 'stop';
  const usage = usageOf(request, content ?? JSON.stringify(calls));
  const head = {
    id: `chatcmpl-${randomUUID()}`,
    created: Math.floor(Date.now() / 1000),
    model: OFFLINE_MODEL,
    system_fingerprint: OFFLINE_MODEL,
  };

  if (!request.stream) {
    const message = { role: 'assistant', content, refusal: null, ...(calls && { tool_calls: calls }) };
    const choices = [{ index: 0, message, logprobs: null, finish_reason: finishReason }];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...head, object: 'chat.completion', choices, usage }));
    return;
  }

  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  const send = (choices: unknown[], more = {}) =>
    response.write(`data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices, ...more })}\n\n`);
  send([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }]);
  if (calls) send([{ index: 0, delta: { tool_calls: calls.map((call, index) => ({ index, ...call })) }, finish_reason: null }]);
  for (const piece of content?.match(/\S+\s*|\s+/g) ?? []) {
    if (response.destroyed) return;
    send([{ index: 0, delta: { content: piece }, finish_reason: null }]);
    // Yield to the event loop after each chunk, so that chunks are sent separately.
    await yieldToEventLoop();
  }
  send([{ index: 0, delta: {}, finish_reason: finishReason }]);
  if (request.streamUsage) send([], { usage });
  response.end('data: [DONE]\n\n');
}

const callOf = ({ name, input }: { name: string; input: object }) => ({
  id: `call_${randomUUID()}`,
  type: 'function',
  function: { name, arguments: JSON.stringify(input) },
});

function answerFor({ messages, tools, schema, schemaName, json }: ChatRequest): ChatAnswer {
  if (!json) return answerChat(messages, tools) ?? { content: answerFrom(messages) };
  const reply = schema && replyTo(schemaName, messages);
  return { content: JSON.stringify(reply ?? emptyOf(schema ?? { type: 'object' })) };
}

/** The reply to a request of this service, identified by its schema name. */
function replyTo(schemaName: string | undefined, messages: ChatRequest['messages']) {
  if (schemaName === 'products') {
    const page = readListedPage(messages);
    return page && listProducts(page);
  }
  if (schemaName === 'customer') return playCustomer(messages);
  if (schemaName === 'columns') {
    const question = readColumnQuestion(messages);
    return question && nameColumns(question);
  }
  if (schemaName === 'offers') {
    const material = readMaterial(messages);
    return material && readOffers(material);
  }
  const request = readExtraction(messages);
  return request && (schemaName === 'validation' ? validate(request) : extract(request));
}

/** Estimates four characters per token. */
const tokens = (text: string) => Math.ceil(text.length / 4);

function usageOf({ messages }: ChatRequest, content: string) {
  const prompt = tokens(messages.map(({ text }) => text).join('\n'));
  const completion = tokens(content);
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

/** The minimal value that matches a schema: null if allowed, else empty, zero, false or the first enum value. */
function emptyOf(schema: JsonObject, root = schema, depth = 0): unknown {
  const { $ref, $defs, anyOf, oneOf, allOf, enum: words, const: constant, type } = schema;
  // Only recursive schemas are deeper.
  if (depth > 32) return null;
  const inner = (each: unknown) => emptyOf(isObject(each) ? each : {}, root, depth + 1);
  if (typeof $ref === 'string') return inner(lookUp(root, $ref) ?? $defs);
  if (constant !== undefined) return constant;
  if (Array.isArray(words)) return words.includes(null) ? null : (words[0] ?? null);
  for (const choices of [anyOf, oneOf, allOf]) if (Array.isArray(choices)) return inner(choices.find(allowsNull) ?? choices[0]);
  if (allowsNull(schema)) return null;
  return emptyOfType(Array.isArray(type) ? type[0] : type, schema, inner);
}

const allowsNull = (schema: unknown) => isObject(schema) && [schema.type].flat().includes('null');

function emptyOfType(type: unknown, schema: JsonObject, inner: (schema: unknown) => unknown): unknown {
  const least = (key: string) => Number(schema[key] ?? 0);
  switch (type) {
    case 'string':
      return ' '.repeat(least('minLength'));
    case 'number':
    case 'integer':
      return Math.min(Math.max(0, least('minimum')), Number(schema.maximum ?? Number.POSITIVE_INFINITY));
    case 'boolean':
      return false;
    case 'array':
      return Array.from({ length: least('minItems') }, () => inner(schema.items));
    case 'object': {
      const properties = isObject(schema.properties) ? schema.properties : {};
      const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
      return Object.fromEntries(required.map((name) => [name, inner(Object.hasOwn(properties, name) ? properties[name] : {})]));
    }
    default:
      return null;
  }
}

/** Resolves `#/$defs/Name` within the same document. */
function lookUp(root: JsonObject, reference: string): unknown {
  return reference
    .replace(/^#\/?/, '')
    .split('/')
    .filter(Boolean)
    .reduce<unknown>((at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined), root);
}

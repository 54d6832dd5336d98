import type { Attributes } from '@opentelemetry/api';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import OpenAI, { APIConnectionTimeoutError, APIError, type APIPromise } from 'openai';
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionCreateParamsStreaming,
} from 'openai/resources/chat/completions';
import type { ClientSecretCreateResponse } from 'openai/resources/realtime/client-secrets';
import type { Response as ModelResponse, ResponseCreateParamsNonStreaming } from 'openai/resources/responses/responses';
import type { EnumValue } from '../../schema/enums.ts';
import { forbidInTransaction } from '../database/index.ts';
import { Deadline } from '../queues/index.ts';
import { inSpan, modelCallSeconds, modelTokens, startSpan } from '../telemetry/index.ts';
import { classify, ProviderFault, ProviderRefusal } from './faults.ts';
import { Headroom } from './pace.ts';
import { type ChatWaits, RequestQueue, type RequestSlot } from './request-queue.ts';

export type ModelTier = EnumValue<'ModelType'> | EnumValue<'AgentModelType'>;

export interface ModelConfig {
  apiKey: string;
  /** Any OpenAI-compatible provider; OpenAI itself when unset. */
  baseUrl?: string;
  /** Maps model tiers to the names of the provider. */
  models: Record<ModelTier, string>;
  /** Name of the embedding model at the provider. */
  embedding?: string;
  /** `auto` searches only with OpenAI itself, because few compatible servers support the tool. */
  webSearch: 'auto' | 'on' | 'off';
  /** Timeout of the whole response, including its body. */
  timeoutMs?: number;
  /** Model of voice sessions, as named by the provider. */
  realtimeModel?: string;
  /** Maximum concurrent requests of this process. */
  concurrency?: number;
}

/** A voice session that a browser opens directly at the provider. */
interface VoiceSession {
  token: string;
  expiresAt: Date;
  model: string;
  /** WebSocket URL of the session. */
  url: string;
}

/** The model provider. Throws `ProviderFault` for errors to retry later, and `ProviderRefusal` for permanent ones. */
export interface Model {
  /** Host of the provider, with its port. */
  readonly host: string;
  readonly webSearch: ModelConfig['webSearch'];
  complete(
    tier: ModelTier,
    request: Omit<ChatCompletionCreateParamsNonStreaming, 'model'>,
    signal?: AbortSignal,
  ): Promise<ChatCompletion>;
  respond(tier: ModelTier, request: Omit<ResponseCreateParamsNonStreaming, 'model'>, signal?: AbortSignal): Promise<ModelResponse>;
  /** Name of the embedding model. Only vectors of the same model can be compared. */
  readonly embedding: string;
  /** One unit vector for each text, in the same order. Accepts at most 2,048 texts, none of them empty. */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]>;
  /** The chunks of a completion, with its usage in the last one. The token limit goes into the parameter that the provider supports. */
  stream(tier: ModelTier, request: StreamRequest, signal?: AbortSignal): AsyncIterable<ChatCompletionChunk>;
  /** False while requests of jobs wait in the queue, or the last response of some model said that its rate limit is nearly reached. */
  hasHeadroom(): boolean;
  /** Concurrent requests of jobs that the provider has been able to answer; few while nothing is known. */
  concurrency(tier: ModelTier): number;
  /** Jobs yield to chats of all processes from now on. */
  shareWith(chatWaits: ChatWaits): void;
  /** Mint a client secret for one voice session. */
  openVoiceSession(instructions: string, signal?: AbortSignal): Promise<VoiceSession>;
}

export interface StreamRequest extends Omit<ChatCompletionCreateParamsStreaming, 'model' | 'stream' | 'max_tokens'> {
  /** Token limit of the visible answer. */
  maxTokens: number;
}

const OPENAI = 'https://api.openai.com/v1';
/** Tokens for the hidden reasoning of OpenAI's models, which counts against their limit. */
const REASONING_TOKENS = 4_000;

export function createModel({
  apiKey,
  baseUrl = OPENAI,
  models,
  embedding = 'text-embedding-3-small',
  webSearch,
  timeoutMs = 120_000,
  realtimeModel = 'gpt-realtime',
  concurrency,
}: ModelConfig): Model {
  const openai = new OpenAI({
    apiKey,
    baseURL: baseUrl,
    // Temporal retries; a second layer would multiply the attempts.
    maxRetries: 0,
    timeout: timeoutMs,
    logLevel: 'off',
    // The package would read unset options from the environment.
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
  });
  const headroom = new Headroom();
  const requestQueue = new RequestQueue(concurrency ?? Number.POSITIVE_INFINITY, timeoutMs, concurrency);
  const { host } = new URL(baseUrl);
  const isOpenAi = host === new URL(OPENAI).host;

  async function call<T extends { usage?: object | null }>(
    api: ModelApi,
    model: string,
    signal: AbortSignal | undefined,
    request: (model: string, signal: AbortSignal) => APIPromise<T>,
  ) {
    forbidInTransaction('The model provider');
    const slot = await requestQueue.enter(model, signal);
    const meter = meterCall(model, api, signal);
    // The timeout of the package ends with the headers, but a body may hang, too.
    const deadline = new Deadline(timeoutMs, signal);
    try {
      const sent = request(model, deadline.signal);
      const { data: response, response: http } = await sent.withResponse();
      headroom.read(model, http.headers);
      // The package returns a body that is not JSON as text.
      if (typeof response !== 'object' || response === null) throw new SyntaxError('the body is not a JSON object');
      slot.answered();
      meter.succeeded(response.usage);
      return response;
    } catch (error) {
      const fault = faultOf(error, model, { slot, deadline, signal });
      meter.failed(fault);
      throw fault;
    } finally {
      deadline.end();
      slot.end();
    }
  }

  function faultOf(
    error: unknown,
    model: string,
    { slot, deadline, signal }: { slot: RequestSlot; deadline: Deadline; signal?: AbortSignal },
  ): unknown {
    if (signal?.aborted) return signal.reason;
    return classify(deadline.hasPassed ? new APIConnectionTimeoutError() : error, { model, host, timedOut: slot.timedOut });
  }

  async function* stream(tier: ModelTier, { maxTokens, ...request }: StreamRequest, signal?: AbortSignal) {
    forbidInTransaction('The model provider');
    const model = models[tier];
    const endSpan = startSpan(...spanOf('chat', tier));
    const slot = await requestQueue.enter(model, signal).catch((error: unknown) => {
      endSpan(true);
      throw error;
    });
    const meter = meterCall(model, 'chat', signal);
    let counted: ChatCompletionChunk['usage'];
    let outcome: 'ok' | 'failed' | 'left' = 'left';
    const limit = isOpenAi ? { max_completion_tokens: maxTokens + REASONING_TOKENS } : { max_tokens: maxTokens };
    const deadline = new Deadline(timeoutMs, signal);
    try {
      const usage = { stream: true, stream_options: { include_usage: true } } as const;
      const sent = openai.chat.completions.create({ ...request, ...limit, ...usage, model }, { signal: deadline.signal });
      for await (const chunk of chunksOf(await sent.asResponse())) {
        slot.answered();
        counted = chunk.usage ?? counted;
        yield chunk;
      }
      outcome = 'ok';
      meter.succeeded(counted);
    } catch (error) {
      outcome = 'failed';
      const fault = faultOf(error, model, { slot, deadline, signal });
      meter.failed(fault);
      throw fault;
    } finally {
      deadline.end();
      slot.end();
      // The reader left before the end of the stream.
      if (outcome === 'left') meter.left(counted);
      endSpan(outcome !== 'ok');
    }
  }

  async function embed(input: string[], signal: AbortSignal | undefined, more: { dimensions?: number }): Promise<Float32Array[]> {
    const { data } = await call('embeddings', embedding, signal, (model, within) =>
      openai.embeddings.create({ input, model, ...more }, { signal: within }),
    );
    try {
      const vectors = data.toSorted((a, b) => a.index - b.index).map((each) => unitVector(each.embedding));
      if (vectors.length === input.length) return vectors;
    } catch (error) {
      throw new ProviderFault('its answer cannot be read', { cause: error });
    }
    throw new ProviderFault('its answer cannot be read');
  }

  return {
    host,
    embedding,
    embed: (texts, signal) =>
      inSpan(...spanOf('embeddings', embedding), async () => {
        const input = [...texts];
        try {
          return await embed(input, signal, { dimensions: DIMENSIONS });
        } catch (error) {
          // Some models have a fixed number of dimensions and reject the parameter.
          if (error instanceof ProviderRefusal && error.status === 400) return embed(input, signal, {});
          throw error;
        }
      }),
    webSearch: webSearch === 'auto' ? (isOpenAi ? 'on' : 'off') : webSearch,
    complete: (tier, request, signal) =>
      inSpan(...spanOf('chat', tier), () =>
        call('chat', models[tier], signal, (model, within) =>
          openai.chat.completions.create({ ...request, model }, { signal: within }),
        ),
      ),
    respond: (tier, request, signal) =>
      inSpan(...spanOf('chat', tier), () =>
        call('responses', models[tier], signal, (model, within) =>
          openai.responses.create({ ...request, model }, { signal: within }),
        ),
      ),
    stream,
    hasHeadroom: () => headroom.isLeft() && !requestQueue.isBehind,
    concurrency: (tier) => requestQueue.sizeOf(models[tier]),
    shareWith: (chatWaits) => requestQueue.shareWith(chatWaits),
    async openVoiceSession(instructions, signal) {
      const session = { type: 'realtime', model: realtimeModel, instructions } as const;
      const secret = await call<ClientSecretCreateResponse & { usage?: null }>('voice', realtimeModel, signal, (_, within) =>
        openai.realtime.clientSecrets.create({ session }, { signal: within }),
      );
      if (typeof secret.value !== 'string' || typeof secret.expires_at !== 'number')
        throw classify(new SyntaxError('the client secret is incomplete'), { model: realtimeModel, host });
      const url = new URL(`${baseUrl}/realtime`);
      url.protocol = url.protocol.replace('http', 'ws');
      url.searchParams.set('model', realtimeModel);
      return { token: secret.value, expiresAt: new Date(secret.expires_at * 1_000), model: realtimeModel, url: url.href };
    },
  };
}

/** The span of a request, without its texts. Costs nothing while tracing is off. */
const spanOf = (operation: string, model: string): [name: string, attributes: Attributes] => [
  `${operation} ${model}`,
  { 'gen_ai.operation.name': operation, 'gen_ai.request.model': model },
];

/** The chunks of a streamed completion. The stream of the package passes each of them through five iterators. */
async function* chunksOf(response: Response): AsyncGenerator<ChatCompletionChunk> {
  const events: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => events.push(event) });
  const decoder = new TextDecoder();
  const body = response.body!;
  let isDone = false;
  try {
    for await (const bytes of body.values({ preventCancel: true })) {
      parser.feed(decoder.decode(bytes, { stream: true }));
      for (const { event, data } of events.splice(0)) {
        if (data.trim() === '[DONE]') {
          isDone = true;
          return;
        }
        if (data === '') continue;
        const chunk = JSON.parse(data);
        if (event === 'error' || chunk.error) throw new APIError(undefined, chunk.error ?? chunk, undefined, response.headers);
        yield chunk;
      }
    }
  } finally {
    if (isDone) readToEnd(body);
    else void body.cancel().catch(() => {});
  }
}

/** Time in which a provider must end a body after its last event. */
const END_MS = 1_000;

/** Reads the end of a body, because only then its connection serves other requests. The completion does not wait for it. */
function readToEnd(body: ReadableStream): void {
  void body.pipeTo(new WritableStream(), { signal: AbortSignal.timeout(END_MS) }).catch(() => {});
}

/** Dimensions of stored vectors. A provider that ignores the requested number is truncated or padded to it. */
export const DIMENSIONS = 512;

/**
 * A unit vector of `DIMENSIONS`. Truncation follows models whose first dimensions carry the most information (Matryoshka); padding with
 * zeros keeps every cosine.
 */
export function unitVector(values: ArrayLike<number>): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  const count = Math.min(values.length, DIMENSIONS);
  for (let at = 0; at < count; at += 1) vector[at] = values[at]!;
  const length = Math.hypot(...vector);
  if (!Number.isFinite(length) || length === 0) throw new RangeError('the embedding has no direction');
  return vector.map((each) => each / length);
}

type ModelApi = 'chat' | 'responses' | 'embeddings' | 'voice';

/** The usage of a response. The APIs of the provider name the counts differently. */
interface Usage {
  prompt_tokens?: number;
  completion_tokens?: number;
  input_tokens?: number;
  output_tokens?: number;
}

/** Measures one request to the model provider. */
function meterCall(model: string, api: ModelApi, signal: AbortSignal | undefined) {
  const end = modelCallSeconds.startTimer({ model, api });
  return {
    succeeded(usage: Usage | null | undefined) {
      end({ outcome: 'ok' });
      countTokens(model, usage);
    },
    /** The caller stopped reading a stream. */
    left(usage: Usage | null | undefined) {
      end({ outcome: 'canceled' });
      countTokens(model, usage);
    },
    failed(error: unknown) {
      end({ outcome: signal?.aborted ? 'canceled' : outcomeOf(error) });
    },
  };
}

/** One bad request of a customer must not look like an invalid key. */
function outcomeOf(error: unknown): string {
  if (!(error instanceof ProviderRefusal)) return 'fault';
  return error.concernsService ? 'refused' : 'rejected';
}

/** Providers may omit the usage, or send something else. */
function countTokens(model: string, usage: Usage | null | undefined): void {
  const add = (direction: string, count: unknown) => {
    if (typeof count === 'number' && count > 0 && Number.isFinite(count)) modelTokens.inc({ model, direction }, count);
  };
  add('input', usage?.prompt_tokens ?? usage?.input_tokens);
  add('output', usage?.completion_tokens ?? usage?.output_tokens);
}

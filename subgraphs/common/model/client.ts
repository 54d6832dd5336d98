import OpenAI, { APIConnectionTimeoutError } from 'openai';
import type { ChatCompletion, ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions';
import type { Response, ResponseCreateParamsNonStreaming } from 'openai/resources/responses/responses';
import type { Word } from '../../../schema/words.ts';
import { forbidInTransaction } from '../transactions.ts';
import { classify } from './faults.ts';

export type ModelTier = Word<'ModelType'> | Word<'AgentModelType'>;

export interface ModelConfig {
  apiKey: string;
  /** Any OpenAI-compatible provider; OpenAI itself when unset. */
  baseUrl?: string;
  /** Maps model tiers to the names of the provider. */
  models: Record<ModelTier, string>;
  /** `auto` searches only with OpenAI itself, because few compatible servers support the tool. */
  webSearch: 'auto' | 'on' | 'off';
  /** Timeout of the whole response, including its body. */
  timeoutMs?: number;
}

/** The model provider. Throws `ProviderFault` for errors to retry later, and `ProviderRefusal` for permanent ones. */
export interface Model {
  readonly webSearch: ModelConfig['webSearch'];
  complete(
    tier: ModelTier,
    request: Omit<ChatCompletionCreateParamsNonStreaming, 'model'>,
    signal?: AbortSignal,
  ): Promise<ChatCompletion>;
  respond(tier: ModelTier, request: Omit<ResponseCreateParamsNonStreaming, 'model'>, signal?: AbortSignal): Promise<Response>;
}

const OPENAI = 'https://api.openai.com/v1';

export function createModel({ apiKey, baseUrl = OPENAI, models, webSearch, timeoutMs = 120_000 }: ModelConfig): Model {
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
  const { host } = new URL(baseUrl);

  async function call<T>(
    tier: ModelTier,
    signal: AbortSignal | undefined,
    request: (model: string, signal: AbortSignal) => Promise<T>,
  ) {
    forbidInTransaction('The model provider');
    const model = models[tier];
    // The timeout of the package ends with the headers, but a body may hang, too.
    const deadline = AbortSignal.timeout(timeoutMs);
    try {
      const response = await request(model, signal ? AbortSignal.any([signal, deadline]) : deadline);
      // The package returns a body that is not JSON as text.
      if (typeof response !== 'object' || response === null) throw new SyntaxError('the body is no JSON object');
      return response;
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw classify(deadline.aborted ? new APIConnectionTimeoutError() : error, { model, host });
    }
  }

  return {
    webSearch: webSearch === 'auto' ? (new URL(baseUrl).host === new URL(OPENAI).host ? 'on' : 'off') : webSearch,
    complete: (tier, request, signal) =>
      call(tier, signal, (model, within) => openai.chat.completions.create({ ...request, model }, { signal: within })),
    respond: (tier, request, signal) =>
      call(tier, signal, (model, within) => openai.responses.create({ ...request, model }, { signal: within })),
  };
}

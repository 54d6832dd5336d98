import OpenAI from 'openai';
import type { ChatCompletion, ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions';
import type { Response, ResponseCreateParamsNonStreaming } from 'openai/resources/responses/responses';
import type { Word } from '../../../schema/words.ts';
import { log } from '../log.ts';
import { forbidInTransaction } from '../transactions.ts';
import { classify, tooLate } from './faults.ts';

export type ModelTier = Word<'ModelType'> | Word<'AgentModelType'>;

export interface ModelConfig {
  apiKey: string;
  /** Any OpenAI-compatible provider; OpenAI itself when unset. */
  baseUrl?: string;
  /** The documented tiers to the provider's names. */
  models: Record<ModelTier, string>;
  /** `auto` searches only at OpenAI itself: hardly any compatible server has the tool. */
  webSearch: 'auto' | 'on' | 'off';
  /** For the whole answer, not only its first byte. */
  timeoutMs?: number;
}

/** The model provider. Failures are a `ProviderFault` (try again later) or a `ProviderRefusal` (do not). */
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
    // Temporal retries; two layers of it would multiply.
    maxRetries: 0,
    timeout: timeoutMs,
    logLevel: 'off',
    // Unset, the package would read them from the environment.
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
    // The package's time-out ends with the headers; a body may hang too.
    const deadline = AbortSignal.timeout(timeoutMs);
    try {
      const answer = await request(model, signal ? AbortSignal.any([signal, deadline]) : deadline);
      // What is not sent as JSON comes back from the package as text.
      if (typeof answer !== 'object' || answer === null) throw new SyntaxError('the body is no JSON object');
      return answer;
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (deadline.aborted) {
        log.warn({ host, model, timeoutMs }, 'the model provider did not answer in time');
        throw tooLate();
      }
      throw classify(error, { model, host });
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

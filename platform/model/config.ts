import type { Configuration, Name } from '../../schema/environment.ts';
import { createModel, type Model } from './client.ts';
import { withSpans } from './spans.ts';

/** The variables of the model provider. */
type ModelVariable = Extract<Name, `MODEL_${string}` | `OPENAI_${string}`>;

/** The client of the configured model provider; undefined without an API key. */
export function openModel(config: Configuration<ModelVariable>): Model | undefined {
  if (config.OPENAI_API_KEY === undefined) return undefined;
  const model = createModel({
    apiKey: config.OPENAI_API_KEY,
    baseUrl: config.OPENAI_BASE_URL,
    webSearch: config.MODEL_WEB_SEARCH,
    timeoutMs: config.MODEL_TIMEOUT * 1_000,
    concurrency: config.MODEL_CONCURRENCY,
    realtimeModel: config.MODEL_REALTIME,
    embedding: config.MODEL_EMBEDDING,
    models: {
      'budget-v1': config.MODEL_BUDGET,
      'pro-v1': config.MODEL_PRO,
      'agent-chat-v1': config.MODEL_CHAT,
      'agent-chat-pro-v1': config.MODEL_CHAT_PRO,
    },
  });
  return withSpans(model);
}

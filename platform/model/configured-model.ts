import type { Attributes } from '@opentelemetry/api';
import type { Configuration, Name } from '../../schema/environment.ts';
import { inSpan, startSpan } from '../telemetry/index.ts';
import { createModel, type Model, type ModelTier } from './model-client.ts';

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

const spanOf = (operation: string, model: string): [name: string, attributes: Attributes] => [
  `${operation} ${model}`,
  { 'gen_ai.operation.name': operation, 'gen_ai.request.model': model },
];

/** Adds a span to each request of a model, without its texts. Costs nothing while tracing is off. */
function withSpans(model: Model): Model {
  const chat = (tier: ModelTier) => spanOf('chat', tier);
  return {
    ...model,
    complete: (tier, request, signal) => inSpan(...chat(tier), () => model.complete(tier, request, signal)),
    respond: (tier, request, signal) => inSpan(...chat(tier), () => model.respond(tier, request, signal)),
    embed: (texts, signal) => inSpan(...spanOf('embeddings', model.embedding), () => model.embed(texts, signal)),
    async *stream(tier, request, signal) {
      const end = startSpan(...chat(tier));
      let failed = true;
      try {
        yield* model.stream(tier, request, signal);
        failed = false;
      } finally {
        end(failed);
      }
    },
  };
}

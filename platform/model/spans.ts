import type { Attributes } from '@opentelemetry/api';
import { inSpan, startSpan } from '../telemetry/index.ts';
import type { Model, ModelTier } from './client.ts';

const spanOf = (operation: string, model: string): [name: string, attributes: Attributes] => [
  `${operation} ${model}`,
  { 'gen_ai.operation.name': operation, 'gen_ai.request.model': model },
];

/** Adds a span to each request of a model, without its texts. Costs nothing while tracing is off. */
export function withSpans(model: Model): Model {
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

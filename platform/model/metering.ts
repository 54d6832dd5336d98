import { modelCallSeconds, modelTokens } from '../telemetry/index.ts';
import { ProviderRefusal } from './faults.ts';

export type ModelApi = 'chat' | 'responses' | 'embeddings' | 'voice';

/** The usage of a response. The APIs of the provider name the counts differently. */
interface Usage {
  prompt_tokens?: number;
  completion_tokens?: number;
  input_tokens?: number;
  output_tokens?: number;
}

/** Measures one request to the model provider. */
export function meterCall(model: string, api: ModelApi, signal: AbortSignal | undefined) {
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

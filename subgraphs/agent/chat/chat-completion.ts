import { setTimeout as sleep } from 'node:timers/promises';
import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import { type Model, type ModelTier, ProviderFault, ProviderRefusal, type StreamRequest } from '../../../platform/model/index.ts';

/** A tool call as the model wrote it. */
export interface WrittenCall {
  id: string;
  name: string;
  /** JSON text, which may be invalid. */
  arguments: string;
}

/** Receives a completion while it is written. */
export interface CompletionSink {
  text(delta: string): void;
  toolCall(call: { id: string; name: string }): void;
}

export interface Completion {
  text: string;
  calls: WrittenCall[];
  model: string;
  inputTokens: number;
  outputTokens: number;
}

const ATTEMPTS = 3;
const [FIRST_DELAY, LONGEST_DELAY] = [300, 4_000];

/**
 * Stream one completion. While nothing has been written, it retries temporary errors and drops sampling parameters that the model does
 * not support. Throws `ProviderFault` or `ProviderRefusal`, and the reason of the signal.
 */
export async function streamCompletion(
  model: Model,
  tier: ModelTier,
  request: StreamRequest,
  sink: CompletionSink,
  signal: AbortSignal,
): Promise<Completion> {
  let current = request;
  for (let attempt = 1; ; attempt += 1) {
    const reader = new CompletionReader(sink);
    try {
      for await (const chunk of model.stream(tier, current, signal)) reader.read(chunk);
      return reader.end();
    } catch (error) {
      if (signal.aborted || reader.hasWritten || attempt === ATTEMPTS) throw error;
      if (error instanceof ProviderRefusal && error.status === 400 && current.temperature !== undefined) {
        current = { ...current, temperature: undefined };
        continue;
      }
      if (!(error instanceof ProviderFault)) throw error;
      await sleep(Math.min(error.retryAfterMs ?? FIRST_DELAY * 2 ** attempt, LONGEST_DELAY), undefined, { signal });
    }
  }
}

class CompletionReader {
  hasWritten = false;
  #text = '';
  #model = '';
  #finishReason: string | undefined;
  #usage = { inputTokens: 0, outputTokens: 0 };
  readonly #calls = new Map<number, WrittenCall>();

  constructor(private readonly sink: CompletionSink) {}

  read({ model, usage, choices }: ChatCompletionChunk): void {
    this.#model = model || this.#model;
    if (usage) this.#usage = { inputTokens: usage.prompt_tokens, outputTokens: usage.completion_tokens };
    const [choice] = choices ?? [];
    if (!choice) return;
    const { content, refusal, tool_calls } = choice.delta ?? {};
    const text = content ?? refusal;
    if (text) {
      this.hasWritten = true;
      this.#text += text;
      this.sink.text(text);
    }
    for (const call of tool_calls ?? []) this.#readCall(call);
    this.#finishReason = choice.finish_reason ?? this.#finishReason;
  }

  #readCall({ index, id, function: written }: NonNullable<ChatCompletionChunk.Choice.Delta['tool_calls']>[number]): void {
    const known = this.#calls.get(index);
    if (known) known.arguments += written?.arguments ?? '';
    else if (written?.name) {
      const isTaken = !id || [...this.#calls.values()].some((call) => call.id === id);
      const call = { id: isTaken ? `call-${index}` : id, name: written.name, arguments: written.arguments ?? '' };
      this.#calls.set(index, call);
      this.hasWritten = true;
      this.sink.toolCall(call);
    }
  }

  end(): Completion {
    // A broken connection and a body that is no event stream both end like this.
    if (this.#finishReason === undefined) throw new ProviderFault('its answer ended early');
    const calls = [...this.#calls.values()];
    if (this.#text.trim() === '' && calls.length === 0) {
      if (this.#finishReason === 'content_filter') throw new ProviderRefusal('The model declined to answer.');
      throw new ProviderFault('it sent an empty answer');
    }
    return { text: this.#text, calls, model: this.#model, ...this.#usage };
  }
}

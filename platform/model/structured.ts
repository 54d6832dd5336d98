import type { ChatCompletion, ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { fitTexts } from '../../schema/text.ts';
import { ProviderFault, ProviderRefusal } from './faults.ts';
import type { Model, ModelTier } from './model-client.ts';

/** A text from which the model may take values. */
export interface ModelSource {
  /** Unique among the sources of one request: `s1`, `s2`, … */
  id: string;
  kind: 'text' | 'page' | 'search' | 'file' | 'variants' | 'product';
  url: string | null;
  title?: string;
  text: string;
}

/** Maximum characters of all sources in one request: about 30,000 tokens. */
export const SOURCE_BUDGET = 120_000;

/** Truncate long sources to fit the budget. Short sources stay complete; long ones share the rest evenly. */
export function fitSources<T extends Pick<ModelSource, 'text'>>(sources: readonly T[], budget = SOURCE_BUDGET): T[] {
  const texts = fitTexts(
    sources.map(({ text }) => text),
    budget,
  );
  return sources.map((source, at) => ({ ...source, text: texts[at]! }));
}

/** The valid and invalid parts of a reply. */
export interface CheckedReply<K, V> {
  values: Map<K, V>;
  /** Faults that the model must fix. `about` is absent when the whole reply is invalid. */
  faults: { sentence: string; about?: K }[];
}

export interface Question {
  tier: ModelTier;
  /** Name of the reply schema. The offline model identifies the request by it. */
  name: 'attributes' | 'validation' | 'offers' | 'products' | 'columns';
  schema: Record<string, unknown>;
  conversation: ChatCompletionMessageParam[];
  signal?: AbortSignal;
  /** Accepts a well-formed reply without any valid value. */
  mayBeEmpty?: true;
}

export interface ModelAnswer<K, V> {
  /** The model that answered, as named by the provider. */
  model: string;
  usage: { requests: number; inputTokens: number; outputTokens: number };
  /** The valid values of all replies. */
  values: Map<K, V>;
  /** A note for readers of the values. */
  note?: string;
}

const REPAIRS = 2;

/**
 * Request a reply of a schema. Sends an invalid reply back with its faults, at most twice, and omits values that remain invalid. Throws
 * `ProviderFault` when no valid value remains.
 */
export async function askForReply<K, V>(
  model: Model,
  { tier, name, schema, conversation, signal, mayBeEmpty }: Question,
  read: (text: string) => CheckedReply<K, V>,
): Promise<ModelAnswer<K, V>> {
  const usage = { requests: 0, inputTokens: 0, outputTokens: 0 };
  const valid = new Map<K, V>();

  for (;;) {
    const completion = await model.complete(
      tier,
      { messages: conversation, response_format: { type: 'json_schema', json_schema: { name, strict: true, schema } } },
      signal,
    );
    usage.requests += 1;
    usage.inputTokens += completion.usage?.prompt_tokens ?? 0;
    usage.outputTokens += completion.usage?.completion_tokens ?? 0;

    const text = contentOf(completion);
    const { values, faults } = read(text);
    // Keep valid values of earlier replies.
    for (const [about, value] of values) valid.set(about, value);
    const open = faults.filter(({ about }) => about === undefined || !valid.has(about));
    if (open.length === 0 || usage.requests > REPAIRS) {
      if (valid.size === 0 && open.some(({ about }) => !mayBeEmpty || about === undefined))
        throw new ProviderFault(`the model's reply remained invalid: ${open[0]?.sentence}`);
      return { ...answeredBy(completion), usage, values: valid };
    }
    conversation.push(
      { role: 'assistant', content: text },
      { role: 'user', content: repairMessage(open.map(({ sentence }) => sentence)) },
    );
  }
}

function contentOf({ choices }: ChatCompletion): string {
  const message = choices?.[0]?.message;
  if (message?.refusal) throw new ProviderRefusal(`The model declined: ${message.refusal}`);
  if (typeof message?.content !== 'string') throw new ProviderFault('it sent a completion without content');
  return message.content;
}

const answeredBy = ({ model, system_fingerprint }: ChatCompletion) =>
  system_fingerprint === 'offline-model' ? { model, note: 'Read by the offline model, without a language model' } : { model };

/** The message after an invalid reply. */
const repairMessage = (faults: readonly string[]) =>
  `Your reply cannot be used:\n${faults.map((each) => `- ${each}`).join('\n')}\nAnswer again with the whole object. What the material does not give is null.`;

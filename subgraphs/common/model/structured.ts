import type { ChatCompletion, ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import type { Model, ModelTier } from './client.ts';
import { ProviderFault, ProviderRefusal } from './faults.ts';
import { repairMessage } from './prompt.ts';

/** A reply as far as it could be read. */
export interface Reply<K, V> {
  values: Map<K, V>;
  /** What the model is told to put right, and what it concerns; nothing when the whole reply is broken. */
  faults: { sentence: string; about?: K }[];
}

export interface Question {
  tier: ModelTier;
  /** What the reply is called; programs that answer without a language model know the request by it. */
  name: 'attributes' | 'validation' | 'offers' | 'products';
  schema: Record<string, unknown>;
  conversation: ChatCompletionMessageParam[];
  signal?: AbortSignal;
  /** A reply of which nothing is sound answers too, as long as it has the form of one. */
  mayBeEmpty?: true;
}

export interface Answer<K, V> {
  /** The model that answered, in the provider's words. */
  model: string;
  usage: { requests: number; inputTokens: number; outputTokens: number };
  /** What was sound in any of the replies. */
  values: Map<K, V>;
  /** Something a reader of the values should know. */
  note?: string;
}

const REPAIRS = 2;

/**
 * Ask for a reply of a schema. One that breaks it goes back with its faults, twice at most; what is faulty still is left out,
 * and a `ProviderFault` when nothing sound is left.
 */
export async function askForReply<K, V>(
  model: Model,
  { tier, name, schema, conversation, signal, mayBeEmpty }: Question,
  read: (text: string) => Reply<K, V>,
): Promise<Answer<K, V>> {
  const usage = { requests: 0, inputTokens: 0, outputTokens: 0 };
  const sound = new Map<K, V>();

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
    // What an earlier reply got right stays, should a later one spoil it.
    for (const [about, value] of values) sound.set(about, value);
    const open = faults.filter(({ about }) => about === undefined || !sound.has(about));
    if (open.length === 0 || usage.requests > REPAIRS) {
      if (sound.size === 0 && open.some(({ about }) => !mayBeEmpty || about === undefined))
        throw new ProviderFault(`the model's reply stayed unusable: ${open[0]?.sentence}`);
      return { ...answeredBy(completion), usage, values: sound };
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

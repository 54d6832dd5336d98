import type { ChatCompletion } from 'openai/resources/chat/completions';
import type { Word } from '../../../schema/words.ts';
import type { AttributeRequest, AttributeValue } from './attribute.ts';
import type { Model, ModelTier } from './client.ts';
import { ProviderFault, ProviderRefusal } from './faults.ts';
import { type Material, messages, repairMessage } from './prompt.ts';
import { type ExtractedValue, type Reply, readReply } from './reply.ts';
import { propertyNames, replySchema } from './schema.ts';
import { fitSources, type Source } from './source.ts';

export interface ExtractionRequest {
  tier: ModelTier;
  /** With distinct slugs. */
  attributes: readonly AttributeRequest[];
  /** What the attributes describe; a product unless said. */
  subject?: Word<'AttributeSubject'>;
  /** What the record itself says: name, sku, brand, category, … */
  product: Readonly<Record<string, string | null | undefined>>;
  /** Values the product has already, by slug. */
  existing?: Readonly<Record<string, AttributeValue>>;
  sources: readonly Source[];
  /** As `data:` URLs. */
  images?: readonly string[];
  signal?: AbortSignal;
}

export interface Extraction {
  /** The model that answered, in the provider's words. */
  model: string;
  usage: { requests: number; inputTokens: number; outputTokens: number };
  /** Whether sources found by a web search were among the material. */
  webSearched: boolean;
  /** One per attribute, by slug. */
  values: Record<string, ExtractedValue>;
  /** Something a reader of the values should know. */
  note?: string;
}

const REPAIRS = 2;

/**
 * Read the attributes out of the sources. A reply that breaks the schema or a constraint goes back with its faults, twice at most;
 * what is faulty still is null with confidence 0, and a `ProviderFault` when nothing sound is left.
 */
export async function extractAttributes(model: Model, request: ExtractionRequest): Promise<Extraction> {
  const { tier, attributes, subject = 'product', product, existing = {}, images, signal } = request;
  const properties = propertyNames(attributes);
  const material: Material = { product, existing: byProperty(properties, existing), sources: fitSources(request.sources) };
  const schema = replySchema(
    properties,
    material.sources.map(({ id }) => id),
  );
  const conversation = messages(properties, material, { subject, images });
  const usage = { requests: 0, inputTokens: 0, outputTokens: 0 };
  const sound: Reply['values'] = new Map();

  for (;;) {
    const completion = await model.complete(
      tier,
      {
        messages: conversation,
        response_format: { type: 'json_schema', json_schema: { name: 'attributes', strict: true, schema } },
      },
      signal,
    );
    usage.requests += 1;
    usage.inputTokens += completion.usage?.prompt_tokens ?? 0;
    usage.outputTokens += completion.usage?.completion_tokens ?? 0;

    const text = contentOf(completion);
    const { values, faults } = readReply(text, properties, material);
    // What an earlier reply got right stays, should a later one spoil it.
    for (const [attribute, value] of values) sound.set(attribute, value);
    const open = faults.filter(({ attribute }) => !attribute || !sound.has(attribute));
    if (open.length === 0 || usage.requests > REPAIRS) {
      if (sound.size === 0 && attributes.length > 0)
        throw new ProviderFault(`The model's reply stayed unusable: ${open[0]?.sentence}`);
      return {
        ...answeredBy(completion),
        usage,
        webSearched: request.sources.some(({ kind }) => kind === 'search'),
        values: bySlug(attributes, sound),
      };
    }
    conversation.push(
      { role: 'assistant', content: text },
      { role: 'user', content: repairMessage(open.map(({ sentence }) => sentence)) },
    );
  }
}

const nothing: ExtractedValue = { value: null, confidence: 0, sourceId: null, quote: null };

const byProperty = (properties: ReadonlyMap<string, AttributeRequest>, existing: NonNullable<ExtractionRequest['existing']>) =>
  Object.fromEntries(
    [...properties].flatMap(([property, { slug }]) => (Object.hasOwn(existing, slug) ? [[property, existing[slug] ?? null]] : [])),
  );

const bySlug = (attributes: readonly AttributeRequest[], sound: Reply['values']) =>
  Object.fromEntries(attributes.map((attribute) => [attribute.slug, sound.get(attribute) ?? nothing]));

function contentOf({ choices }: ChatCompletion): string {
  const message = choices?.[0]?.message;
  if (message?.refusal) throw new ProviderRefusal(`The model declined: ${message.refusal}`);
  if (typeof message?.content !== 'string') throw new ProviderFault('The provider sent a completion without content');
  return message.content;
}

const answeredBy = ({ model, system_fingerprint }: ChatCompletion) =>
  system_fingerprint === 'offline-model' ? { model, note: 'Read by the offline model, without a language model' } : { model };

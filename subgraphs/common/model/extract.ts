import type { Word } from '../../../schema/words.ts';
import type { AttributeRequest, AttributeValue } from './attribute.ts';
import type { Model, ModelTier } from './client.ts';
import { type Material, messages } from './prompt.ts';
import { type ExtractedValue, readReply } from './reply.ts';
import { propertyNames, replySchema } from './schema.ts';
import { fitSources, type Source } from './source.ts';
import { type Answer, askForReply } from './structured.ts';

export interface ExtractionRequest {
  tier: ModelTier;
  /** With distinct slugs. */
  attributes: readonly AttributeRequest[];
  /** Kind of record that the attributes describe; `product` by default. */
  subject?: Word<'AttributeSubject'>;
  /** Fields of the record: name, sku, brand, category, … */
  product: Readonly<Record<string, string | null | undefined>>;
  /** Existing values by slug. */
  existing?: Readonly<Record<string, AttributeValue>>;
  sources: readonly Source[];
  /** As `data:` URLs. */
  images?: readonly string[];
  signal?: AbortSignal;
}

export interface Extraction extends Omit<Answer<unknown, unknown>, 'values'> {
  /** Whether the sources include results of a web search. */
  webSearched: boolean;
  /** One per attribute, by slug. */
  values: Record<string, ExtractedValue>;
}

/** Extract the attributes from the sources. An attribute without a valid value is null with confidence 0. */
export async function extractAttributes(model: Model, request: ExtractionRequest): Promise<Extraction> {
  const { tier, attributes, subject = 'product', product, existing = {}, images, signal } = request;
  const properties = propertyNames(attributes);
  const material: Material = { product, existing: byProperty(properties, existing), sources: fitSources(request.sources) };
  const schema = replySchema(
    properties,
    material.sources.map(({ id }) => id),
  );
  const conversation = messages(properties, material, { subject, images });
  const { values, ...answer } = await askForReply(model, { tier, name: 'attributes', schema, conversation, signal }, (text) =>
    readReply(text, properties, material),
  );
  return { ...answer, webSearched: request.sources.some(({ kind }) => kind === 'search'), values: bySlug(attributes, values) };
}

const missing: ExtractedValue = { value: null, confidence: 0, sourceId: null, quote: null };

const byProperty = (properties: ReadonlyMap<string, AttributeRequest>, existing: NonNullable<ExtractionRequest['existing']>) =>
  Object.fromEntries(
    [...properties].flatMap(([property, { slug }]) => (Object.hasOwn(existing, slug) ? [[property, existing[slug] ?? null]] : [])),
  );

const bySlug = (attributes: readonly AttributeRequest[], values: ReadonlyMap<AttributeRequest, ExtractedValue>) =>
  Object.fromEntries(attributes.map((attribute) => [attribute.slug, values.get(attribute) ?? missing]));

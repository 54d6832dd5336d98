import {
  type Answer,
  askForReply,
  fitSources,
  type Model,
  type ModelTier,
  SOURCE_BUDGET,
  type Source,
} from '../../../platform/model/index.ts';
import type { Word } from '../../../schema/words.ts';
import type { AttributeRequest, AttributeValue } from './attribute.ts';
import { type Demonstration, type Material, messages } from './prompt.ts';
import { type ExtractedValue, readReply } from './reply.ts';
import { propertyNames, replySchema } from './schema.ts';

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
  /** Similar records with accepted values by slug. Their texts count against the budget of the sources. */
  examples?: readonly Demonstration[];
  /** Frequent values of the catalog by slug. */
  known?: Readonly<Record<string, readonly string[]>>;
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
  const examples = fitExamples(properties, request.examples ?? []);
  const known = byProperty(properties, request.known ?? {});
  const learned = { ...(Object.keys(known).length > 0 && { known }), ...(examples.length > 0 && { examples }) };
  const room = SOURCE_BUDGET - (Object.keys(learned).length > 0 ? JSON.stringify(learned).length : 0);
  const material: Material = {
    ...learned,
    product,
    existing: byProperty(properties, existing),
    sources: fitSources(request.sources, room),
  };
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

const missing: ExtractedValue = { value: null, confidence: 0, sourceId: null, quote: null, evidence: null, isNew: false };

/** Maximum characters of all examples in one request. */
const EXAMPLE_BUDGET = 24_000;

/** The nearest examples that fit the budget, with their values by property. */
function fitExamples(properties: ReadonlyMap<string, AttributeRequest>, examples: readonly Demonstration[]): Demonstration[] {
  let rest = EXAMPLE_BUDGET;
  return examples
    .map(({ text, values }) => ({ text: text.toWellFormed(), values: byProperty(properties, values) }))
    .filter((each) => {
      const size = JSON.stringify(each).length;
      const isKept = size <= rest && Object.keys(each.values).length > 0;
      if (isKept) rest -= size;
      return isKept;
    });
}

const byProperty = <V>(properties: ReadonlyMap<string, AttributeRequest>, values: Readonly<Record<string, V>>): Record<string, V> =>
  Object.fromEntries(
    [...properties].flatMap(([property, { slug }]): [string, V][] =>
      Object.hasOwn(values, slug) ? [[property, values[slug]!]] : [],
    ),
  );

const bySlug = (attributes: readonly AttributeRequest[], values: ReadonlyMap<AttributeRequest, ExtractedValue>) =>
  Object.fromEntries(attributes.map((attribute) => [attribute.slug, values.get(attribute) ?? missing]));

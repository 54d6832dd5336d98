import { ProviderRefusal } from '../../../platform/model/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { truncate } from '../../../schema/text.ts';
import type { AttributeContent, AttributeType, AttributeValues, Provenance } from '../attributes/attribute-content.ts';
import type { Attribute } from '../attributes/entity.ts';
import { extractAttributes } from '../extraction/extract-attributes.ts';
import type { Example } from '../extraction/extraction-prompt.ts';
import type { Job } from '../jobs/entity.ts';
import { ItemFailure, type WorkScope } from '../jobs/job-kind.ts';
import type { ReadSource, SourceImage } from './sources.ts';

/** The part of an attribute that a job needs to extract its value. */
export type AttributeDefinition = Omit<
  Attribute,
  'organizationId' | 'subject' | 'isActive' | 'createdAt' | 'translations' | 'autoAccept'
>;

/** The value of one attribute and its origin. Its type may differ from that of the attribute: a range is text. */
export interface FoundValue {
  attribute: AttributeDefinition;
  type: AttributeType;
  value: AttributeContent;
  /** The parent already had the value. It is reported, but not written. */
  unchanged?: true;
  origin: Pick<
    Provenance,
    | 'confidence'
    | 'statedConfidence'
    | 'score'
    | 'evidence'
    | 'isNew'
    | 'agreed'
    | 'alternative'
    | 'sourceKind'
    | 'sourceUrl'
    | 'sourceTitle'
    | 'snippet'
    | 'contentHash'
  >;
}

export interface FoundValues {
  /** Model name of the provider. */
  model: string;
  values: FoundValue[];
  /** The sources, if a rerun can reuse them. */
  sources?: ReadSource[];
  /** Products whose accepted values the model received. */
  exampleIds?: string[];
  images: SourceImage[];
}

interface EnrichmentRequest {
  subject: EnumValue<'AttributeSubject'>;
  attributes: AttributeDefinition[];
  /** Fields of the record, such as its name. */
  record: Record<string, string | null>;
  /** Current values. The model receives them if the job includes existing attributes. */
  existing: AttributeValues;
  sources: ReadSource[];
  /** Similar records with accepted values by slug. */
  examples?: Example[];
  /** Frequent accepted values by slug. */
  known?: Record<string, string[]>;
  /** Images to store. */
  images?: FoundValues['images'];
  /** Images for the model, as `data:` URLs. */
  pictures?: string[];
}

/** Lets the model extract the attributes from the sources. Throws `ItemFailure` if it finds no value at all. */
export const extractValues = async (scope: WorkScope, job: Job, request: EnrichmentRequest): Promise<FoundValues> =>
  requireValues(await readValues(scope, job, request));

/** Throws `ItemFailure` if all values are missing. */
function requireValues(extraction: FoundValues): FoundValues {
  if (extraction.values.every(({ value }) => value === null)) throw new ItemFailure('Insufficient product data');
  return extraction;
}

/** Like `extractValues`, but all values may be missing. Reads the sources alone if the provider rejects a request with images. */
async function readValues(scope: WorkScope, job: Job, request: EnrichmentRequest): Promise<FoundValues> {
  const { sources, pictures = [] } = request;
  try {
    return await read(scope, job, request);
  } catch (error) {
    if (!(error instanceof ProviderRefusal)) throw error;
    const mayBeImage = pictures.length > 0 && sources.length > 0 && error.concernsContent;
    if (mayBeImage) return readValues(scope, job, { ...request, pictures: [] });
    throw new ItemFailure(error.message);
  }
}

async function read(
  scope: WorkScope,
  job: Job,
  { subject, attributes, record, existing, sources, examples = [], known, images = [], pictures = [] }: EnrichmentRequest,
): Promise<FoundValues> {
  const extraction = await extractAttributes(scope.model, {
    tier: job.modelType,
    subject,
    attributes: attributes.map(({ constraints, ...attribute }) => ({ ...attribute, constraints: withoutNulls(constraints) })),
    product: record,
    existing: job.includeExistingAttributes ? valuesOnly(existing) : {},
    sources: sources.map(({ contentHash: _, ...source }) => source),
    examples: examples.map(({ text, values }) => ({ text, values })),
    known,
    images: pictures,
    signal: scope.signal,
  });

  const values = attributes.map((attribute) => {
    const { value, confidence, sourceId, quote, evidence, isNew } = extraction.values[attribute.slug]!;
    const source = sources.find(({ id }) => id === sourceId);
    const origin = {
      confidence,
      evidence,
      ...(isNew && { isNew }),
      sourceKind: source?.kind ?? null,
      sourceUrl: source?.url ?? null,
      ...(source && !source.url && source.title && { sourceTitle: source.title }),
      snippet: quote,
      contentHash: source?.contentHash ?? null,
    };
    return { attribute, type: attribute.type, value, origin };
  });
  return { model: extraction.model, values, images };
}

const valuesOnly = (attributes: AttributeValues) =>
  Object.fromEntries(Object.entries(attributes).map(([slug, { value }]) => [slug, value]));

/** Drops the constraints that are not set. */
export const withoutNulls = (constraints: object) =>
  Object.fromEntries(Object.entries(constraints).filter(([, bound]) => bound !== null));

/** Maximum characters of a text that is shown beside the stored value. */
const MAX_SHOWN = 500;

/**
 * Read the sources twice, in both orders, and compare the values. Models prefer what they read first, so a value that depends on the order
 * is doubtful: its confidence is halved. Throws `ItemFailure` if neither reading finds a value. A failed reading ends the other one.
 */
export async function readTwice(scope: WorkScope, job: Job, request: EnrichmentRequest): Promise<FoundValues> {
  const orders = [request.sources, request.sources.toReversed()];
  const failed = new AbortController();
  const within = { ...scope, signal: AbortSignal.any([scope.signal, failed.signal]) };
  const readings = orders.map((sources) => readValues(within, job, { ...request, sources }));
  const [first, second] = await Promise.all(readings).catch(async (error: unknown) => {
    failed.abort(error);
    // The item has no requests left when its next attempt begins.
    await Promise.allSettled(readings);
    throw error;
  });
  const values = first!.values.map((value, place) => compare(value, second!.values[place]!));
  return requireValues({ ...first!, values });
}

function compare(first: FoundValue, second: FoundValue): FoundValue {
  // Composed texts are worded anew each time.
  if (first.attribute.type === 'html' || first.attribute.constraints.format) return first.value === null ? second : first;
  const [chosen, other] = second.origin.confidence > first.origin.confidence ? [second, first] : [first, second];
  if (isSame(first.value, second.value)) return { ...chosen, origin: { ...chosen.origin, agreed: true } };
  const confidence = Math.round(chosen.origin.confidence / 2);
  return { ...chosen, origin: { ...chosen.origin, confidence, agreed: false, alternative: shown(other.value) } };
}

type Value = FoundValue['value'];

/** Case, spaces and the order of lists do not matter. */
const isSame = (a: Value, b: Value): boolean => canonical(a) === canonical(b);
const canonical = (value: Value): string =>
  JSON.stringify(Array.isArray(value) ? value.map(folded).sort() : typeof value === 'string' ? folded(value) : value);
const folded = (text: string) => text.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim();

const shown = (value: Value): Value => (typeof value === 'string' ? truncate(value, MAX_SHOWN) : value);

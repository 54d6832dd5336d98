import { ProviderRefusal } from '../../../platform/model/index.ts';
import type { Word } from '../../../schema/words.ts';
import type { AttributeValues } from '../attributes/values.ts';
import { extractAttributes } from '../extraction/extract.ts';
import type { Demonstration } from '../extraction/prompt.ts';
import type { Job } from '../jobs/entity.ts';
import { ItemFailure } from '../jobs/failure.ts';
import type { WorkScope } from '../jobs/kind.ts';
import type { AttributeDefinition, Extraction } from './extraction.ts';
import type { ReadSource } from './sources.ts';

export interface ExtractionRequest {
  subject: Word<'AttributeSubject'>;
  attributes: AttributeDefinition[];
  /** Fields of the record, such as its name. */
  record: Record<string, string | null>;
  /** Current values. The model receives them if the job includes existing attributes. */
  existing: AttributeValues;
  sources: ReadSource[];
  /** Similar records with accepted values by slug. */
  examples?: Demonstration[];
  /** Frequent accepted values by slug. */
  known?: Record<string, string[]>;
  /** Images to store. */
  images?: Extraction['images'];
  /** Images for the model, as `data:` URLs. */
  pictures?: string[];
}

/** Lets the model extract the attributes from the sources. Throws `ItemFailure` if it finds no value at all. */
export const extractValues = async (scope: WorkScope, job: Job, request: ExtractionRequest): Promise<Extraction> =>
  requireValues(await readValues(scope, job, request));

/** Throws `ItemFailure` if all values are missing. */
export function requireValues(extraction: Extraction): Extraction {
  if (extraction.values.every(({ value }) => value === null)) throw new ItemFailure('Insufficient product data');
  return extraction;
}

/** Like `extractValues`, but all values may be missing. Reads the sources alone if the provider rejects a request with images. */
export async function readValues(scope: WorkScope, job: Job, request: ExtractionRequest): Promise<Extraction> {
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
  { subject, attributes, record, existing, sources, examples = [], known, images = [], pictures = [] }: ExtractionRequest,
): Promise<Extraction> {
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

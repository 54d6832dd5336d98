import { query, queryPrepared, SizedCache, sql } from '../../../platform/database/index.ts';
import { ProviderRefusal } from '../../../platform/model/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { truncate } from '../../../schema/text.ts';
import type { AttributeContent, AttributeType, AttributeValues, Provenance } from '../attributes/attribute-content.ts';
import type { Attribute } from '../attributes/entity.ts';
import { extractAttributes } from '../extraction/extract-attributes.ts';
import type { Example } from '../extraction/extraction-prompt.ts';
import type { Job } from '../jobs/entity.ts';
import { ItemFailure, type WorkScope } from '../jobs/job-kind.ts';
import type { Product } from '../products/entity.ts';
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

/** Accepted values by slug with the number of products, most frequent first. */
type Vocabulary = Record<string, [value: string, count: number][]>;

/** An attribute with more distinct values has no vocabulary. */
const MAX_VALUES = 200;
const MAX_VALUE_LENGTH = 80;
/** Newest examples that are counted, of the category and of the organization. */
const SAMPLE = 2_000;
/** Characters of all known values in one request. */
const BUDGET = 30_000;

/** The frequent accepted values of text attributes, by slug. Values that only this product has are not among them. */
export async function knownValues(
  scope: Scope,
  job: Job,
  product: Product,
  attributes: readonly Attribute[],
): Promise<Record<string, string[]>> {
  if (!job.useExamples) return {};
  const slugs = attributes.filter(({ type }) => type === 'text').map(({ slug }) => slug);
  if (slugs.length === 0) return {};
  const vocabulary =
    (await readStored(scope, job, product)) ?? (await store(scope, job, product, await count(scope, product, slugs)));
  let rest = BUDGET;
  return Object.fromEntries(
    slugs.flatMap((slug): [string, string[]][] => {
      const own = product.attributes[slug]?.value;
      const counted = Object.hasOwn(vocabulary, slug) ? vocabulary[slug]! : [];
      const values = counted.filter(([value, uses]) => value !== own || uses > 1).map(([value]) => value);
      const fitting = values.filter((value) => {
        rest -= value.length + 3;
        return rest >= 0;
      });
      return fitting.length > 0 ? [[slug, fitting]] : [];
    }),
  );
}

const stored = new SizedCache<string, Vocabulary>(8 * 1024 * 1024);

/** The vocabulary that the job, or the job whose sources it reuses, already uses for the category. It never changes. */
async function readStored(scope: Scope, job: Job, product: Product): Promise<Vocabulary | undefined> {
  const key = JSON.stringify([job.id, job.evidenceJobId, product.category]);
  const known = stored.get(key);
  if (known) return known;
  const read = await readVocabulary(scope, job, product);
  if (read) stored.set(key, read, 2 * (key.length + JSON.stringify(read).length));
  return read;
}

async function readVocabulary(
  { em, organizationId }: Scope,
  { id, evidenceJobId }: Job,
  { category }: Product,
): Promise<Vocabulary | undefined> {
  const jobs = evidenceJobId ? [evidenceJobId, id] : [id];
  const [row] = await queryPrepared(
    em,
    sql<{ entries: Vocabulary }>`select entries from catalog.job_vocabularies
         where job_id = any(${jobs}::uuid[]) and category_key = catalog.category_key(${category}) and organization_id = ${organizationId}
         order by array_position(${jobs}::uuid[], job_id) limit 1`,
  );
  return row?.entries;
}

/** Returns the vocabulary of the item that stored it first. */
async function store(scope: Scope, job: Job, product: Product, entries: Vocabulary): Promise<Vocabulary> {
  await query(
    scope.em,
    sql`insert into catalog.job_vocabularies (job_id, category_key, organization_id, entries)
        select id, catalog.category_key(${product.category}), organization_id, ${JSON.stringify(entries)}::jsonb
          from catalog.jobs where id = ${job.id} and organization_id = ${scope.organizationId}
        on conflict do nothing`,
  );
  return (await readStored(scope, { ...job, evidenceJobId: null }, product)) ?? entries;
}

async function count({ em, organizationId }: Scope, { category }: Product, slugs: readonly string[]): Promise<Vocabulary> {
  const rows = await query(
    em,
    sql<{ slug: string; value: string; uses: number; isOwn: boolean }>`with sample as materialized (
            (select product_id, category_key from catalog.examples
              where organization_id = ${organizationId} and category_key = catalog.category_key(${category})
              order by organization_id desc, category_key desc, product_id desc limit ${SAMPLE}::int)
            union (select product_id, category_key from catalog.examples
              where organization_id = ${organizationId} order by organization_id desc, product_id desc limit ${SAMPLE}::int)
          ), counted as (
            select s as slug, p.attributes -> s ->> 'value' as value, count(*)::int as uses, bool_or(category_key = catalog.category_key(${category})) as own
              from sample join catalog.products p on p.id = sample.product_id and p.organization_id = ${organizationId}
              cross join unnest(${slugs}::text[]) s
             where p.attributes -> s ->> 'attributeType' = 'text' and catalog.is_accepted(p.provenance -> s)
               and length(p.attributes -> s ->> 'value') between 1 and ${MAX_VALUE_LENGTH}::int group by 1, 2
          ), ranked as (
            select *, row_number() over (partition by slug order by own desc, uses desc, value) as place from counted
          ) select slug, value, uses, own as "isOwn" from ranked where place <= ${MAX_VALUES + 1}::int order by slug, place`,
  );
  const bySlug = Map.groupBy(rows, ({ slug }) => slug);
  // Values of other categories fill up the vocabulary, if that of the category is small.
  const limited = [...bySlug]
    .map(([slug, values]) => [slug, values.length > MAX_VALUES ? values.filter(({ isOwn }) => isOwn) : values] as const)
    .filter(([, values]) => values.length <= MAX_VALUES);
  return Object.fromEntries(limited.map(([slug, values]) => [slug, values.map(({ value, uses }) => [value, uses])]));
}

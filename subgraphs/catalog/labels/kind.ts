import { query, readRows, sql } from '../../../platform/database/index.ts';
import { fitSources, type ModelSource, ProviderRefusal, SOURCE_BUDGET, searchWeb } from '../../../platform/model/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { fitTexts, truncate } from '../../../schema/text.ts';
import type { AttributeValues } from '../attributes/attribute-content.ts';
import { attributesOfJob, listAttributes, MAX_BYTES } from '../attributes/service.ts';
import { type AttributeDefinition, extractValues } from '../enrichment/ask-model.ts';
import { enrichedColumns } from '../enrichment/kind.ts';
import { loadImages, type ReadSource, toReadSources } from '../enrichment/sources.ts';
import { type Job, JobItem, type ReferenceData } from '../jobs/entity.ts';
import { ItemFailure, type JobKind, type WorkScope } from '../jobs/job-kind.ts';
import { Product } from '../products/entity.ts';
import { boundedSources } from '../products/job-items.ts';
import { groundingOf, picturesOf } from '../uploads/grounding.ts';
import type { LabelSubject } from './entity.ts';
import { LabelValue } from './label-values.ts';
import { createLabel, OWN_NEWEST } from './service.ts';
import { type SubmittedRow, sameName, subjects } from './subjects.ts';

/** Fills in the attributes of brands or categories, from products that carry their name or from the web. */
const labelEnrichment = (subject: LabelSubject, oneAtATime: string): JobKind => ({
  concurrency: 5,
  prices: { 'budget-v1': { item: 1 }, 'pro-v1': { item: 5 } },
  oneAtATime,
  check: (scope, job) => attributesOfJob(scope, job, subject),

  async process(scope, job, item) {
    const label = item.label!;
    const linked = await linkedProducts(scope, subject, job, label);
    const wanted = await attributesFor(scope, subject, job);
    const { sources, pictures, reference } = await groundLabel(scope, subject, job, { label, linked });
    const existing = job.includeExistingAttributes ? await latestValues(scope, subject, label) : {};
    const record = { ...textsOf(item.inputData ?? {}), name: label };
    const found = await extractValues(scope, job, { subject, attributes: wanted, record, existing, sources, pictures });
    return {
      item: { ...enrichedColumns(job, item, found), referenceData: reference },
      apply: (inner) => createCurrent(inner, subject, item.id),
    };
  },
});

/** Creates the label of an item by its current name, because it may have been renamed or merged while the item was processed. */
async function createCurrent(inner: Scope, subject: LabelSubject, itemId: string): Promise<void> {
  const [item] = await query(inner.em, sql<{ label: string }>`select label from catalog.job_items where id = ${itemId} for update`);
  if (item) await createLabel(inner, subject, { name: item.label });
}

export const brandEnrichment = labelEnrichment(
  'brand',
  'A brand enrichment job is already in progress. Please wait for it to complete before starting a new one.',
);
export const categoryEnrichment = labelEnrichment(
  'category',
  'A product-category enrichment job is already in progress. Please wait for it to complete before starting a new one.',
);

async function attributesFor(scope: Scope, subject: LabelSubject, job: Job): Promise<AttributeDefinition[]> {
  const chosen = await attributesOfJob(scope, job, subject);
  if (chosen.length > 0) return chosen;
  const { defaultAttributes } = subjects[subject];
  const hasOwn = (await listAttributes(scope, subject)).length > 0;
  if (hasOwn || defaultAttributes.length === 0) throw new ItemFailure('There are no active attributes to fill in');
  return defaultAttributes;
}

const VALUES = ['id', 'enrichedData'] as const;

/** The values of the latest enrichment, with those that people entered. */
async function latestValues(scope: Scope, subject: LabelSubject, label: string): Promise<AttributeValues> {
  const [[latest], entered] = await Promise.all([
    readRows(
      scope,
      JobItem,
      { columns: VALUES, where: { subject, status: 'completed' }, matching: sameName('label', label), ordering: OWN_NEWEST },
      { limit: 1, offset: 0 },
    ),
    readRows(scope, LabelValue, { where: { subject }, matching: (bind) => `r.key = catalog.name_key(${bind(label)}::text)` }),
  ]);
  return { ...latest?.enrichedData, ...Object.fromEntries(entered.map(({ slug, value }) => [slug, value])) };
}

/** Columns of a row that the model receives, characters of their names, and of all their texts. */
const [MAX_COLUMNS, MAX_NAME, MAX_TEXT] = [500, 256, SOURCE_BUDGET / 2];

/** The texts of the row, which the model receives in addition to the name. */
function textsOf(row: SubmittedRow): Record<string, string> {
  const given = Object.entries(row).filter((each): each is [string, string] => typeof each[1] === 'string');
  const columns = given.slice(0, MAX_COLUMNS);
  const texts = fitTexts(
    columns.map(([, text]) => text),
    MAX_TEXT,
  );
  return Object.fromEntries(columns.map(([name], at) => [truncate(name, MAX_NAME), texts[at]!]));
}

interface Grounding {
  sources: ReadSource[];
  /** As `data:` URLs. */
  pictures: string[];
  reference: ReferenceData;
}

interface LabelSources {
  read: Omit<ModelSource, 'id'>[];
  reference: ReferenceData;
}

/**
 * The records of up to ten products that carry the name. Undefined if there are none. Throws `ItemFailure` then if the job may not search
 * the web, because the item has no sources.
 */
export async function linkedProducts(
  scope: WorkScope,
  subject: LabelSubject,
  job: Job,
  label: string,
): Promise<LabelSources | undefined> {
  const linked = await scope.memory.during(SAMPLE_MEMORY, async () => fromProducts(await sampleProducts(scope, subject, label)));
  if (linked.read.length > 0) return linked;
  if (!job.websearch) throw new ItemFailure(subjects[subject].noProducts);
  return undefined;
}

/** The sources of a label: its products, or a web search if it has none, and the files of the job. */
async function groundLabel(
  scope: WorkScope,
  subject: LabelSubject,
  job: Job,
  { label, linked }: { label: string; linked?: LabelSources },
): Promise<Grounding> {
  const { read, reference } = linked ?? (await fromWeb(scope, subject, job, label));
  const texts = await groundingOf(scope, job.uploadedFileIds, [label]);
  const pictured = { files: await picturesOf(scope, job.uploadedFileIds), pages: [], requests: 1 };
  const { pictures } = await loadImages(scope, job, pictured);
  const files = texts.map(({ title, text }) => ({ kind: 'file' as const, url: null, title, text }));
  return { sources: toReadSources([...read, ...files]), pictures, reference };
}

const fromProducts = (products: Product[]): LabelSources => ({
  // The item holds no more than a request may have.
  read: fitSources(products.map(productSource)),
  reference: { mode: 'products', productIds: products.map(({ id }) => id) },
});

async function fromWeb(scope: WorkScope, subject: LabelSubject, job: Job, label: string): Promise<LabelSources> {
  const search = { question: question(subject, label), terms: label };
  const read = await searchWeb(scope, job.modelType, search).catch((error: unknown) => {
    throw error instanceof ProviderRefusal ? new ItemFailure(error.message) : error;
  });
  if (!read?.length) throw new ItemFailure('Unable to fetch source data');
  return { read, reference: { mode: 'websearch', urls: read.flatMap(({ url }) => url ?? []) } };
}

const questions: Record<LabelSubject, string> = {
  brand: 'Find what this brand is, makes and stands for; cite its own pages first',
  category: 'Find what products of this category are, what they are for and how they differ',
};
const question = (subject: LabelSubject, label: string) => `${questions[subject]}: ${label}`;

const SAMPLE_SIZE = 10;
/** Memory of the sample while it is read: the rows as text, the values, and the texts that are made of them. */
const SAMPLE_MEMORY = SAMPLE_SIZE * 3 * MAX_BYTES;
const PRODUCT_COLUMNS = [...['id', 'sku', 'name', 'manufacturer', 'brand', 'category', 'attributes']] as (keyof Product)[];
const joined = { userProvidedRawDataSources: boundedSources(SOURCE_BUDGET) };

const sampleProducts = (scope: Scope, subject: LabelSubject, label: string) =>
  readRows(
    scope,
    Product,
    { columns: PRODUCT_COLUMNS, joined, matching: sameName(subject, label), orderBy: { createdAt: 'asc', id: 'asc' } },
    { limit: SAMPLE_SIZE, offset: 0 },
  );

const isUrl = (reference: string) => /^https?:\/\/\S+$/i.test(reference.trim());

/** The record of a product as text, one field or value per line. */
function productSource({ name, sku, manufacturer, brand, category, ...product }: Product): Omit<ModelSource, 'id'> {
  const fields = Object.entries({ name, sku, manufacturer, brand, category }).filter(([, value]) => value);
  const values = Object.values(product.attributes).filter(({ value }) => value !== null);
  const text = [
    ...fields.map(([field, value]) => `${field}: ${value}`),
    ...values.map(({ attributeName, value }) => `${attributeName}: ${String(value).replace(/<[^<>]*>/g, ' ')}`),
    ...product.userProvidedRawDataSources.filter((reference) => !isUrl(reference)),
  ].join('\n');
  return { kind: 'product', url: null, title: name, text };
}

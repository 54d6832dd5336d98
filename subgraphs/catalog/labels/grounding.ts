import { readRows } from '../../../platform/database/index.ts';
import { fitSources, ProviderRefusal, SOURCE_BUDGET, type Source, searchWeb } from '../../../platform/model/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { MAX_BYTES } from '../attributes/size.ts';
import { loadImages, type ReadSource, toReadSources } from '../enrichment/sources.ts';
import type { Job, ReferenceData } from '../jobs/entity.ts';
import { ItemFailure, type WorkScope } from '../jobs/kind.ts';
import { Product } from '../products/entity.ts';
import { boundedSources } from '../products/source-limits.ts';
import { groundingOf, picturesOf } from '../uploads/grounding.ts';
import { type LabelSubject, sameName, subjects } from './subjects.ts';

interface Grounding {
  sources: ReadSource[];
  /** As `data:` URLs. */
  pictures: string[];
  reference: ReferenceData;
}

interface LabelSources {
  read: Omit<Source, 'id'>[];
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
export async function groundLabel(
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
  const asked = { question: question(subject, label), terms: label };
  const read = await searchWeb(scope, job.modelType, asked).catch((error: unknown) => {
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
function productSource({ name, sku, manufacturer, brand, category, ...product }: Product): Omit<Source, 'id'> {
  const fields = Object.entries({ name, sku, manufacturer, brand, category }).filter(([, value]) => value);
  const values = Object.values(product.attributes).filter(({ value }) => value !== null);
  const text = [
    ...fields.map(([field, value]) => `${field}: ${value}`),
    ...values.map(({ attributeName, value }) => `${attributeName}: ${String(value).replace(/<[^<>]*>/g, ' ')}`),
    ...product.userProvidedRawDataSources.filter((reference) => !isUrl(reference)),
  ].join('\n');
  return { kind: 'product', url: null, title: name, text };
}

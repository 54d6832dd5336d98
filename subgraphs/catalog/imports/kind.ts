import { GraphQLError } from 'graphql';
import { query, sql } from '../../../platform/database/index.ts';
import { dataUrlOf } from '../../../platform/files/index.ts';
import { ProviderRefusal } from '../../../platform/model/index.ts';
import { cleanAll } from '../../../platform/reading/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { codeOf } from '../../../schema/errors.ts';
import { listAttributes } from '../attributes/service.ts';
import { type ListedPage, type ListedProduct, readProducts } from '../extraction/read-products.ts';
import type { Job, JobItem } from '../jobs/entity.ts';
import { ItemFailure, type JobKind, type WorkScope } from '../jobs/job-kind.ts';
import { imageMemory } from '../jobs/memory.ts';
import type { FilePage } from '../uploads/file-pages.ts';
import { type PageReading, readRows, withoutRows } from './file-rows.ts';
import { insertItems } from './insert-items.ts';

/**
 * Extracts products from files. An item is a page of a file: up to fifty rows, or a similar amount of text. Webhooks can subscribe to
 * `ai_import.completed` and `ai_import.failed`, but they are never sent.
 */
export const aiImport: JobKind = {
  concurrency: 10,
  prices: { 'budget-v1': { item: 1 }, 'pro-v1': { item: 5 } },
  events: { start: 'ai_import.start', startKey: 'jobId', stopped: 'ai_import.stopped' },
  // All its products would be found a second time.
  notRepeatable: 'An AI import is created again from its files.',

  async process(scope, job, item) {
    const page = await findPage(scope, item);
    const images = page.content.kind === 'image' ? [await loadImage(scope, item.fileId!, page)] : [];
    const request = { tier: job.modelType, page: pageRequest(job, page), images, signal: scope.signal };
    const products = await readProducts(scope.model, request).catch((error: unknown) => {
      throw error instanceof ProviderRefusal ? new ItemFailure(error.message) : error;
    });
    const reading = await readPage(scope, page, item.id, products);
    return { item: {}, apply: (inner) => insertItems(inner, job.id, item.ordinal, reading) };
  },
};

/** Pairs the products with the rows of the page. */
async function readPage(
  scope: WorkScope,
  { name, content }: SourcePage,
  itemId: string,
  products: readonly ListedProduct[],
): Promise<PageReading> {
  if (content.kind !== 'table') return withoutRows(products);
  const reading = readRows(products, content, await listAttributes(scope, 'product'), { file: name, itemId });
  const values = reading.products.flatMap(({ details }) => details.values.filter(({ attributeType }) => attributeType === 'html'));
  const cleaned = await cleanAll(
    scope.organizationId,
    values.map(({ value }) => value as string),
  ).catch((error: unknown) => {
    throw error instanceof GraphQLError && codeOf(error) === 'INVALID_INPUT' ? new ItemFailure(error.message) : error;
  });
  for (const [at, value] of values.entries()) value.value = cleaned[at]!;
  return reading;
}

interface SourcePage {
  name: string;
  mime: string;
  bytes: number;
  content: FilePage;
}

async function findPage({ em, organizationId }: Scope, { fileId, filePage }: JobItem): Promise<SourcePage> {
  const [page] = await query(
    em,
    sql<SourcePage>`select f.name, f.mime, f.bytes::float8, p.content from catalog.file_pages p join catalog.files f on f.id = p.file_id
       where p.file_id = ${fileId} and p.place = ${filePage} and f.organization_id = ${organizationId}`,
  );
  if (!page) throw new ItemFailure('The file was deleted before it was read');
  return page;
}

/** Waits for memory, which the item holds until its end. */
async function loadImage(scope: WorkScope, fileId: string, page: SourcePage): Promise<string> {
  await scope.memory.hold('contents', imageMemory([page], 1));
  return dataUrlOf(scope, fileId, page.mime);
}

function pageRequest({ prompt }: Job, { name, content }: SourcePage): ListedPage {
  const page = { file: name, wish: prompt };
  if (content.kind === 'text') return { ...page, text: content.text };
  return content.kind === 'table' ? { ...page, columns: content.columns, rows: content.rows } : page;
}

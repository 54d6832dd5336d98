import { GraphQLError } from 'graphql';
import { query, sql } from '../../../platform/database/index.ts';
import { dataUrlOf } from '../../../platform/files/index.ts';
import { ProviderRefusal } from '../../../platform/model/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { codeOf } from '../../../schema/errors.ts';
import { listAttributes } from '../attributes/service.ts';
import { type ListedPage, readProducts } from '../extraction/read-products.ts';
import type { Job, JobItem } from '../jobs/entity.ts';
import { ItemFailure, imageMemory, type JobKind, type WorkScope } from '../jobs/job-kind.ts';
import type { ContentPage, TablePage } from '../uploads/file-pages.ts';
import { cleanValues } from './cells.ts';
import { headersOfPage, type PageReading, readMappedRows, readRows, withoutRows } from './file-rows.ts';
import { insertItems } from './insert-items.ts';
import { mappedColumns, mappingOf } from './mapping.ts';
import type { TableMapping } from './mapping-types.ts';
import { TableRows } from './table-rows.ts';

/**
 * Extracts products from files. An item is a page of a file: up to fifty rows, or a similar amount of text; or twenty pages of a table whose
 * columns are mapped. Webhooks can subscribe to
 * `ai_import.completed` and `ai_import.failed`, but they are never sent.
 */
export const aiImport: JobKind = {
  concurrency: 10,
  prices: { 'budget-v1': { item: 1 }, 'pro-v1': { item: 5 } },
  events: { start: 'ai_import.start', startKey: 'jobId', stopped: 'ai_import.stopped' },
  // All its products would be found a second time.
  notRepeatable: 'An AI import is created again from its files.',

  async process(scope, job, item) {
    const reading = item.withoutModel ? await readMapped(scope, job, item) : await readByModel(scope, job, item);
    return { item: {}, apply: (inner) => insertItems(inner, job.id, item.ordinal, reading) };
  },
};

async function readByModel(scope: WorkScope, job: Job, item: JobItem): Promise<PageReading> {
  const [page] = await findPages(scope, item);
  const images = page!.content.kind === 'image' ? [await loadImage(scope, item.fileId!, page!)] : [];
  const request = { tier: job.modelType, page: pageRequest(job, page!), images, signal: scope.signal };
  const products = await readProducts(scope.model, request).catch((error: unknown) => {
    throw error instanceof ProviderRefusal ? new ItemFailure(error.message) : error;
  });
  const { name, content } = page!;
  if (content.kind !== 'table') return withoutRows(products);
  // Saved mappings apply to an import only as its own mapping, so that saving one changes no import of another caller.
  const attributes = await listAttributes(scope, 'product');
  return cleaned(scope, readRows(products, content, attributes, { file: name, itemId: item.id }));
}

/** Pages of a table whose columns are mapped are read together, without a model. */
async function readMapped(scope: WorkScope, { importMapping }: Job, item: JobItem): Promise<PageReading> {
  const pages = await findPages(scope, item);
  const tables = pages.map(({ content }) => content as TablePage);
  const mapping = mappingOf(importMapping as TableMapping[] | null, item.fileId, tables[0]!.name);
  if (!mapping) throw new ItemFailure('The job has no mapping of the table');
  const [widest] = tables.toSorted((a, b) => b.columns.length - a.columns.length);
  const page = {
    name: tables[0]!.name,
    rows: tables.flatMap(({ rows }) => rows),
    numbers: tables.flatMap(({ numbers }) => numbers),
  };
  const headers = headersOfPage({ columns: widest!.columns, rows: page.rows });
  const columns = mappedColumns(headers, widest!.marks, mapping.columns, await listAttributes(scope, 'product'));
  const rows = new TableRows(page, columns, { file: pages[0]!.name, itemId: item.id });
  return cleaned(scope, await readMappedRows(rows, page.rows.length));
}

/** The reading with clean HTML. */
async function cleaned(scope: WorkScope, reading: PageReading): Promise<PageReading> {
  const values = reading.products.flatMap(({ details }) => details.values);
  await cleanValues(scope, values).catch((error: unknown) => {
    throw error instanceof GraphQLError && codeOf(error) === 'INVALID_INPUT' ? new ItemFailure(error.message) : error;
  });
  return reading;
}

interface SourcePage {
  name: string;
  mime: string;
  bytes: number;
  content: ContentPage;
}

async function findPages({ em, organizationId }: Scope, { fileId, filePage, pageCount }: JobItem): Promise<SourcePage[]> {
  const pages = await query(
    em,
    sql<SourcePage>`select f.name, f.mime, f.bytes::float8, p.content from catalog.file_pages p join catalog.files f on f.id = p.file_id
       where p.file_id = ${fileId} and p.place >= ${filePage} and p.place < ${filePage! + pageCount} and f.organization_id = ${organizationId}
       order by p.place`,
  );
  if (pages.length < pageCount) throw new ItemFailure('The file was deleted before it was read');
  return pages;
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

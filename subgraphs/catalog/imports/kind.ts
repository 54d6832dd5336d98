import { query, sql } from '../../common/database.ts';
import { ProviderRefusal } from '../../common/model/faults.ts';
import { type ListedPage, readProducts } from '../../common/model/products.ts';
import type { Scope } from '../../common/scope.ts';
import type { Job } from '../jobs/entity.ts';
import { ItemFailure } from '../jobs/failure.ts';
import type { JobItem } from '../jobs/item-entity.ts';
import type { Kind } from '../jobs/kind.ts';
import { prices } from '../jobs/prices.ts';
import { dataUrlOf } from '../uploads/grounding.ts';
import type { FilePage } from '../uploads/pages.ts';
import { keepFound } from './found.ts';

/** Find products in files: an item of the job is a page of a file. */
export const aiImport: Kind = {
  concurrency: 10,
  price: async (_, { kind, modelType }) => prices[kind][modelType].product,

  async process(scope, job, item) {
    const page = await findPage(scope, item);
    const images = page.content.kind === 'image' ? [await dataUrlOf(scope, item.fileId!, page.mime)] : [];
    const request = { tier: job.modelType, page: asked(job, page), images, signal: scope.signal };
    const products = await readProducts(scope.model, request).catch((error: unknown) => {
      throw error instanceof ProviderRefusal ? new ItemFailure(error.message) : error;
    });
    return { item: {}, apply: (inner) => keepFound(inner, job.id, products) };
  },
};

interface Found {
  name: string;
  mime: string;
  content: FilePage;
}

async function findPage({ em, organizationId }: Scope, { fileId, filePage }: JobItem): Promise<Found> {
  const [page] = await query(
    em,
    sql<Found>`select f.name, f.mime, p.content from catalog.file_pages p join catalog.files f on f.id = p.file_id
       where p.file_id = ${fileId} and p.place = ${filePage} and f.organization_id = ${organizationId}`,
  );
  if (!page) throw new ItemFailure('The file is gone');
  return page;
}

function asked({ prompt }: Job, { name, content }: Found): ListedPage {
  const page = { file: name, wish: prompt };
  if (content.kind === 'text') return { ...page, text: content.text };
  return content.kind === 'table' ? { ...page, columns: content.columns, rows: content.rows } : page;
}

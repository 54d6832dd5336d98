import { readProducts } from '../../../subgraphs/catalog/extraction/read-products.ts';
import { type PlainKind, tier } from './kind.ts';
import * as statements from './statements.ts';

interface TakenPage {
  name: string;
  content: { columns: string[]; rows: string[][] };
}

export const page: PlainKind<TakenPage> = {
  window: 10,
  items: statements.pageItems,
  take: statements.takePage,

  async work({ model }, { id, jobId, organizationId }, { name, content: { columns, rows } }) {
    const products = await readProducts(model, { tier, page: { file: name, wish: null, columns, rows } });
    const found = products.map(({ family: _, ...data }) => ({ name: data.name, sku: data.sku, data }));
    return [
      [statements.completePage, id, organizationId],
      [statements.keepProducts, jobId, organizationId, JSON.stringify(found)],
    ];
  },
};

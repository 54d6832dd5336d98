import type { EntityClass } from '@mikro-orm/postgresql';
import type { Word } from '../../../schema/words.ts';
import { Brand } from '../brands/entity.ts';
import { Category } from '../categories/entity.ts';
import type { Fillable } from '../enrichment/found.ts';
import { defaultCategoryAttributes } from './default-attributes.ts';
import type { Label } from './entity.ts';

export type LabelSubject = 'brand' | 'category';

interface Words {
  entity: EntityClass<Label>;
  table: string;
  /** Characters a name may have; as many as the text of a product. */
  longestName: number;
  kind: Word<'JobKind'>;
  /** Where a row of a job has its name; the first that is not blank counts. */
  nameKeys: readonly string[];
  /** Bytes the rows of one job may have together. */
  mostBytes?: number;
  /** Filled in when the organization has no attributes of its own. */
  defaultAttributes: Fillable[];
  /** Begins the name of a download when the job has no file name. */
  files: string;
  noProducts: string;
}

/** All that brands and categories differ in. */
export const subjects: Record<LabelSubject, Words> = {
  brand: {
    entity: Brand,
    table: 'catalog.brands',
    longestName: 128,
    kind: 'brand-enrichment',
    nameKeys: ['name', 'brand', 'brand_name', 'brandName'],
    mostBytes: 8 * 1024 * 1024,
    defaultAttributes: [],
    files: 'brands',
    noProducts:
      'No products are linked to this brand. Link products via Enrich Brand on a product, or enable "Use Websearch" before enriching.',
  },
  category: {
    entity: Category,
    table: 'catalog.categories',
    longestName: 1_024,
    kind: 'product-category-enrichment',
    nameKeys: ['name', 'category_name', 'categoryName'],
    defaultAttributes: defaultCategoryAttributes,
    files: 'categories',
    noProducts:
      'No products are linked to this category. Link products via Enrich Category on a product, or enable "Use Websearch" before enriching.',
  },
};

/** A condition that a column of `r` is the name, in any case; answered by an index on its key. */
export const sameName = (column: 'brand' | 'category' | 'label' | 'name', name: string) => (bind: (value: unknown) => string) =>
  `r.${column} is not null and catalog.name_key(r.${column}) = catalog.name_key(${bind(name)})`;

import type { EntityClass } from '@mikro-orm/postgresql';
import type { EnumValue } from '../../../schema/enums.ts';
import type { AttributeDefinition } from '../enrichment/ask-model.ts';
import { defaultCategoryAttributes } from './default-attributes.ts';
import { Brand, Category, type Label, type LabelSubject } from './entity.ts';

interface Subject {
  title: string;
  entity: EntityClass<Label>;
  table: string;
  /** Maximum number of characters of a name; equal to the limit of the product field. */
  longestName: number;
  kind: EnumValue<'JobKind'>;
  /** Keys of a row that may hold the name. The first non-blank value is used. */
  nameKeys: readonly string[];
  /** Maximum total size of the rows of one job. */
  mostBytes?: number;
  /** Used if the organization has no attributes for the subject. */
  defaultAttributes: AttributeDefinition[];
  /** Prefix of the download name if the job has no file name. */
  files: string;
  noProducts: string;
}

/** The differences between brands and categories. */
export const subjects: Record<LabelSubject, Subject> = {
  brand: {
    title: 'Brand',
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
    title: 'Category',
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

/** Whether a text can be a key of a name, which is a hash without the version of a UUID, or the id of a record. */
export const isKey = (text: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);

/** Matches a column of `r` with a name, ignoring case. Uses the index on `name_key`. */
export const sameName = (column: 'brand' | 'category' | 'label' | 'name', name: string) => (bind: (value: unknown) => string) =>
  `r.${column} is not null and catalog.name_key(r.${column}) = catalog.name_key(${bind(name)})`;

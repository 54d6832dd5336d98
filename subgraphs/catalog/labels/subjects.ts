import type { EntityClass } from '@mikro-orm/postgresql';
import { query, sql } from '../../../platform/database/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import type { AttributeDefinition } from '../enrichment/ask-model.ts';
import type { Items } from '../jobs/service.ts';
import { Brand, Category, type Label, type LabelSubject } from './entity.ts';

type Default = Pick<AttributeDefinition, 'slug' | 'name' | 'type' | 'prompt' | 'constraints'>;

/** Used for categories while the organization has no category attributes of its own. */
const defaults: Default[] = [
  {
    slug: 'page_title',
    name: 'Page Title',
    type: 'text',
    prompt: 'Write the title of the category page in Title Case, at most 60 characters, with the keyword near the front.',
    constraints: { maxLength: 60, format: 'title-case' },
  },
  {
    slug: 'meta_description',
    name: 'Meta Description',
    type: 'text',
    prompt: 'Write a meta description of at most 160 characters that leads with the benefit and includes the keyword.',
    constraints: { maxLength: 160 },
  },
  {
    slug: 'meta_keywords',
    name: 'Meta Keywords',
    type: 'text',
    prompt: 'Write 5 to 10 keywords for the category in lower case, separated by commas.',
    constraints: { minItems: 5, maxItems: 10, format: 'keywords' },
  },
  {
    slug: 'description',
    name: 'Description',
    type: 'html',
    prompt: 'Write a description of the category, 150 to 350 words of HTML wrapped in one div, with h2 headings and a ul list.',
    constraints: { minWords: 150, maxWords: 350, format: 'html-section' },
  },
  {
    slug: 'slug',
    name: 'URL Slug',
    type: 'text',
    prompt: 'Write the slug of the category page: kebab-case, 3 to 5 words, at most 75 characters.',
    constraints: { maxLength: 75, minWords: 3, maxWords: 5, format: 'kebab-case' },
  },
  {
    slug: 'focus_keywords',
    name: 'Focus Keywords',
    type: 'text',
    prompt: 'Write the primary keyword of the category: 1 to 3 words in lower case.',
    constraints: { minWords: 1, maxWords: 3, format: 'lowercase' },
  },
];

/** The slug serves as the id, because these attributes are not stored. */
const defaultCategoryAttributes: AttributeDefinition[] = defaults.map((each) => ({
  ...each,
  id: each.slug,
  categoryPrompt: null,
  options: [],
  examples: [],
  unit: null,
}));

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

export type SubmittedRow = Record<string, unknown>;

/** The submitted rows as job items, labeled by name. Throws `INVALID_INPUT` if a row has no name. */
export function rowItems(subject: LabelSubject, rows: SubmittedRow[]): Items {
  const labels = rows.map((row, index) => nameOf(subject, row, index));
  const text = JSON.stringify(rows);
  const { mostBytes = Number.POSITIVE_INFINITY } = subjects[subject];
  if (Buffer.byteLength(text) > mostBytes) throw fail('INVALID_INPUT', `rows must be at most ${mostBytes / 1024 / 1024} MB`);
  return {
    count: rows.length,
    insert: ({ em, organizationId }, jobId) =>
      query(
        em,
        sql`insert into catalog.job_items (id, organization_id, job_id, ordinal, turn, subject, label, input_data)
            select gen_random_uuid(), ${organizationId}, ${jobId}, n - 1, n - 1, ${subject}, label, input
              from rows from (unnest(${labels}::text[]), json_array_elements(${text}::json)) with ordinality as given (label, input, n)`,
      ),
  };
}

function nameOf(subject: LabelSubject, row: SubmittedRow, index: number): string {
  const { nameKeys, longestName } = subjects[subject];
  const [name] = nameKeys.flatMap((key) => (Object.hasOwn(row, key) ? textOf(row[key]) : []));
  if (name === undefined)
    throw fail('INVALID_INPUT', `rows[${index}] needs a value that is not blank under ${nameKeys.join(', ')}`);
  if ([...name].length > longestName)
    throw fail('INVALID_INPUT', `rows[${index}] has a name of more than ${longestName} characters`);
  return name;
}

/** Numbers are valid names, for example `3`. */
function textOf(value: unknown): string[] {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
  return text === '' ? [] : [text];
}

import { stringify } from 'csv-stringify/sync';
import { query, SizedCache, sql } from '../../../platform/database/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import { type EnumValue, enums } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import type { AttributeValues } from '../attributes/attribute-content.ts';
import type { Job, JobItem } from '../jobs/entity.ts';
import type { JobKind } from '../jobs/job-kind.ts';
import { findJob } from '../jobs/service.ts';
import { TEXTS } from '../products/write-contents.ts';
import { type FilePart, isAvailable } from './service.ts';

const TYPES: Record<EnumValue<'ProductExportFormat'>, string> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson; charset=utf-8',
};

/** Reads the file of an export in parts. Throws `NOT_FOUND` for an unknown job, and `UNPROCESSABLE` if it has no file. */
export async function readPart(scope: RequestScope, jobId: string, after: string | null): Promise<FilePart> {
  const job = await findJob(scope, jobId, 'product-export');
  if (!isAvailable(job))
    throw fail(
      'UNPROCESSABLE',
      job.status === 'completed' ? 'The file was deleted after 7 days.' : 'The export has not completed.',
    );
  const { id, createdAt } = job;
  const format = job.exportFormat!;
  const about = { name: `products_${createdAt.toISOString().slice(0, 10)}.${format}`, type: TYPES[format] };
  const columns = job.exportColumns ?? ALL;
  const names = columnNames(columns);
  const slugs = format === 'csv' ? (columns.attributes ?? (await slugsOf(scope, id))) : [];
  // A spreadsheet program reads the file as UTF-8 by its first character.
  if (after === null) return { ...about, text: format === 'csv' ? `\ufeff${csv([[...names, ...slugs]])}` : '', next: '0:-1' };
  const part = await nextPart(scope, id, after);
  if (!part) return { ...about, text: '', next: null };
  const text = format === 'csv' ? csv(rowsOf(part.content, names, slugs)) : part.content;
  return { ...about, text, next: `${part.ordinal}:${part.place}` };
}

const SLUGS = `
  select array(select distinct s from catalog.product_export_pages e, unnest(e.slugs) s
                where e.job_id = $1 and e.organization_id = $2 order by s) as slugs`;

/** The attributes of completed exports, which never change, and which each part of a file needs. */
const known = new SizedCache<string, string[]>(4 * 1024 * 1024);

/** The attributes of all exported products, in order. */
async function slugsOf({ services, organizationId, signal, budget }: Scope, jobId: string): Promise<string[]> {
  const key = `${organizationId} ${jobId}`;
  const stored = known.get(key);
  if (stored) return stored;
  const statement = { name: 'slugs of an export', text: SLUGS, values: [jobId, organizationId] };
  const { rows } = await services.statements.run<{ slugs: string[] }>(statement, signal, budget);
  const [{ slugs }] = rows as [{ slugs: string[] }];
  known.set(key, slugs, 100 + 2 * JSON.stringify(slugs).length);
  return slugs;
}

const NEXT = `
  select e.ordinal, p.place, p.content from catalog.product_export_pages e join catalog.product_export_parts p using (item_id)
   where e.job_id = $1 and e.organization_id = $2 and (e.ordinal = $3 and p.place > $4 or e.ordinal > $3) and e.ordinal >= $3
   order by e.ordinal, p.place limit 1`;

interface Part {
  ordinal: number;
  place: number;
  content: string;
}

async function nextPart(
  { services, organizationId, signal, budget }: Scope,
  jobId: string,
  after: string,
): Promise<Part | undefined> {
  if (!/^\d{1,9}:-?\d{1,9}$/.test(after)) throw fail('INVALID_INPUT', 'after must be the next of an earlier part');
  const values = [jobId, organizationId, ...after.split(':').map(Number)];
  const { rows } = await services.statements.run<Part>({ name: 'next part of an export', text: NEXT, values }, signal, budget);
  return rows[0];
}

interface Line extends Record<string, unknown> {
  attributes: AttributeValues;
}

function rowsOf(content: string, names: readonly string[], slugs: readonly string[]): string[][] {
  const lines = content.split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const { attributes, ...fields } = JSON.parse(line) as Line;
    return [...names.map((name) => String(fields[name] ?? '')), ...slugs.map((slug) => cellOf(attributes, slug))];
  });
}

function cellOf(attributes: AttributeValues, slug: string): string {
  const value = Object.hasOwn(attributes, slug) ? attributes[slug]!.value : null;
  return Array.isArray(value) ? value.join('; ') : String(value ?? '');
}

/** Characters that make a spreadsheet program treat a cell as a formula. */
const FORMULA = /^[=+\-@＝＋－＠\t\r\n]/;

/** The text of a cell that no spreadsheet program runs as a formula. Imports remove the apostrophe. */
const spreadsheetCell = (cell: string): string => (FORMULA.test(cell) && Number.isNaN(Number(cell)) ? `'${cell}` : cell);

const csv = (rows: string[][]): string =>
  stringify(
    rows.map((row) => row.map(spreadsheetCell)),
    { record_delimiter: '\r\n', quoted_match: /[\r\n]/ },
  );

type ExportColumns = NonNullable<Job['exportColumns']>;

const ALL: ExportColumns = { fields: null, attributes: null };

const PARENT = ['parentSku', 'parentName', 'isParent'];

/** The names of the columns of fields. An import recognizes a file by them, and its products by the SKU. */
function columnNames({ fields }: ExportColumns): string[] {
  if (fields === null) return [...TEXTS, ...PARENT];
  const chosen = enums.ProductExportField.values.filter((field) => field === 'sku' || fields.includes(field));
  return chosen.flatMap((field) => (field === 'parent' ? PARENT : [field]));
}

const timeText = (column: string) => `to_char(r.${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** The keys of a line, with the names of the graph, and their SQL: the product is `r`, its parent `p`, and its values `v.attributes`. */
const KEYS = {
  ...{ id: 'r.id', sku: 'r.sku', name: 'r.name', brand: 'r.brand', category: 'r.category', manufacturer: 'r.manufacturer' },
  ...{ mpn: 'r.mpn', uom: 'r.uom', externalId: 'r.external_id', parentId: 'r.parent_id', parentSku: 'p.sku', parentName: 'p.name' },
  ...{ isParent: 'r.is_parent', archived: 'r.archived', enriched: 'r.enriched' },
  ...{ userProvidedRawDataSources: 'r.user_provided_raw_data_sources', attributes: 'v.attributes' },
  ...{ createdAt: timeText('created_at'), updatedAt: timeText('updated_at') },
};

/** SQL of a product as a line of JSON. */
function lineSql(columns: ExportColumns): string {
  const names = columnNames(columns);
  const isChosen = (key: string) =>
    columns.fields === null || ['id', 'attributes', ...names].includes(key) || (key === 'parentId' && names.includes('isParent'));
  const pairs = Object.entries(KEYS).flatMap(([key, value]) => (isChosen(key) ? [`'${key}', ${value}`] : []));
  return `json_build_object(${pairs.join(', ')})`;
}

/** Bytes of a part of a file. The last of its products can exceed them. */
const PART = 500_000;

/**
 * Exports many products. An item is a page of products, whose lines the transaction that completes the item writes, so that a killed worker loses and
 * repeats nothing.
 */
export const productExport: JobKind = {
  concurrency: 2,
  prices: { 'budget-v1': { item: 0 }, 'pro-v1': { item: 0 } },
  completesRunningItems: true,
  notRepeatable: 'An export is started again from its products.',
  notRetryable: 'An export is started again from its products.',
  process: async (_scope, job, item) => ({ item: {}, apply: (inner) => writeLines(inner, job.exportColumns ?? ALL, item) }),
};

async function writeLines({ em, organizationId }: Scope, columns: ExportColumns, { id }: JobItem): Promise<void> {
  const { attributes: slugs } = columns;
  const values =
    slugs === null
      ? sql.raw('r.attributes')
      : sql`(select coalesce(jsonb_object_agg(s, r.attributes -> s), '{}') from unnest(${slugs}::text[]) s where r.attributes ? s)`;
  await query(
    em,
    sql`with lines as materialized (
          select c.n, ${sql.raw(lineSql(columns))}::text as line, catalog.category_of(r.category) as category, catalog.filled(v.attributes) as slugs
            from catalog.product_export_pages e cross join unnest(e.product_ids) with ordinality c (id, n)
            join catalog.products r on r.id = c.id and r.organization_id = e.organization_id
            left join catalog.products p on p.id = r.parent_id and p.organization_id = r.organization_id
            cross join lateral (select ${values} as attributes) v
           where e.item_id = ${id} and e.organization_id = ${organizationId}),
        written as (
          insert into catalog.product_export_parts (item_id, place, organization_id, content)
          select ${id}, place, ${organizationId}, string_agg(line, E'\\n' order by n) || E'\\n'
            from (select n, line, ((sum(octet_length(line)) over (order by n) - octet_length(line)) / ${sql.lit(PART)})::int as place from lines) placed
           group by place)
        update catalog.product_export_pages set exported = (select count(*) from lines), product_ids = '{}',
               slugs = array(
                 select s from lines, unnest(slugs) s
                 union select a.slug from catalog.category_sets c
                   join catalog.attribute_set_attributes m using (attribute_set_id) join catalog.attributes a on a.id = m.attribute_id and a.is_active
                  where c.organization_id = ${organizationId} and c.category in (select category from lines)
                 order by 1)
         where item_id = ${id}`,
  );
}

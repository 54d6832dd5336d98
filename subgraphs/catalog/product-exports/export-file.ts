import { stringify } from 'csv-stringify/sync';
import { SizedCache } from '../../../platform/database/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import type { AttributeValues } from '../attributes/attribute-content.ts';
import { findJob } from '../jobs/service.ts';
import { ALL, columnNames } from './export-columns.ts';
import { isAvailable } from './service.ts';
import type { FilePart } from './types.ts';

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

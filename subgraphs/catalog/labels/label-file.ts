import { clock, query, readRows, sql } from '../../../platform/database/index.ts';
import { batchesOf, MAX_INLINE, plainText, readContent } from '../../../platform/reading/index.ts';
import { ContentFault } from '../../../platform/reading/task.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import type { AttributeValue, AttributeValues } from '../attributes/attribute-content.ts';
import { chooseAttributes } from '../attributes/service.ts';
import { type Job, JobItem } from '../jobs/entity.ts';
import type { LabelSubject } from './entity.ts';
import { type SubmittedRow, subjects } from './subjects.ts';
import type { FilePage } from './types.ts';

/** Rows of the first page, which the caller waits for, and of the others. */
const [FIRST_PAGE, PAGE] = [25, 250];

/** The start of a page. It carries the columns of the first page, because a running job may still add attributes. */
interface Cursor {
  jobId: string;
  after: number;
  columns: { slug: string; title: string }[];
}

const ROW_COLUMNS = ['ordinal', 'status', 'errorMessage', 'inputData', 'enrichedData'] as const;

/** One page of the rows of a job with the values filled in. */
export async function readFilePage(scope: Scope, subject: LabelSubject, job: Job, after?: string | null): Promise<FilePage> {
  const inputs = job.inputColumns ?? [];
  const fixed = [...inputs, 'Enrichment Status', 'Enrichment Error'];
  const limit = after ? PAGE : FIRST_PAGE;
  const { after: from, columns } = after
    ? readCursor(after, job.id)
    : { after: -1, columns: await columnsOf(scope, subject, job, fixed) };
  const items = await readRows(
    scope,
    JobItem,
    {
      columns: ROW_COLUMNS,
      where: { jobId: job.id },
      matching: (bind) => `r.ordinal > ${bind(from)}`,
      orderBy: { ordinal: 'asc' },
    },
    { limit, offset: 0 },
  );
  const last = items.at(-1);
  const cells = await attributeCells(
    scope.organizationId,
    items.map(({ enrichedData }) => enrichedData ?? {}),
    columns.map(({ slug }) => slug),
  );
  return {
    name: fileName(subject, job),
    columns: [...fixed, ...columns.map(({ title }) => title)],
    rows: items.map(({ inputData, status, errorMessage }, at) => [
      ...inputs.map((column) => inputCell(inputData ?? {}, column)),
      status,
      errorMessage ?? '',
      ...cells[at]!,
    ]),
    next: last && items.length === limit ? writeCursor({ jobId: job.id, after: last.ordinal, columns }) : null,
  };
}

/** All attributes that occur in the items, in the order of the job. A column with an ambiguous name is titled by its slug. */
async function columnsOf(scope: Scope, subject: LabelSubject, job: Job, fixed: string[]): Promise<Cursor['columns']> {
  const shape = sql`catalog.column_shape(enriched_data)`;
  const filledItems = sql`from catalog.job_items
    where job_id = ${job.id} and organization_id = ${scope.organizationId} and subject is not null and enriched_data is not null`;
  const filled = await query(
    scope.em,
    // Reads one item for each set of attributes that occurs.
    sql<{ slug: string; name: string }>`with recursive shapes as (
        (select ${shape} as shape, enriched_data as data ${filledItems} order by ${shape} limit 1)
        union all
        select next.* from shapes cross join lateral (
          select ${shape}, enriched_data ${filledItems} and ${shape} > shapes.shape order by ${shape} limit 1) next)
      select slug, min(value ->> 'attributeName') as name from shapes, jsonb_each(data) as filled (slug, value) group by slug order by slug`,
  );
  const order = await orderOf(scope, subject, job);
  const place = ({ slug }: { slug: string }) => (order.has(slug) ? order.get(slug)! : order.size);
  const titles = [...fixed, ...filled.map(({ name }) => name)];
  const byTitle = Map.groupBy(titles, (title) => title);
  const isTaken = (name: string) => byTitle.get(name)!.length > 1;
  return filled.toSorted((a, b) => place(a) - place(b)).map(({ slug, name }) => ({ slug, title: isTaken(name) ? slug : name }));
}

/** The positions of the job's attributes. Empty if its set or one of its attributes was deleted. */
async function orderOf(scope: Scope, subject: LabelSubject, { attributeSetId, attributeIds }: Job): Promise<Map<string, number>> {
  const chosen = await chooseAttributes(scope, attributeSetId, attributeIds, subject).catch(() => []);
  const slugs = [...chosen, ...subjects[subject].defaultAttributes].map(({ slug }) => slug);
  return new Map([...new Set(slugs)].map((slug, at) => [slug, at]));
}

/** Derived from the name of the uploaded file or the id of the job, with the date of the download. */
function fileName(subject: LabelSubject, { id, fileName: given }: Job): string {
  const base = given?.replace(/(?<=.)\.[^.]*$/, '') || `${subjects[subject].files}_${id.slice(0, 8)}`;
  return `${base}_enriched_${clock.now().toISOString().slice(0, 10)}.csv`;
}

const writeCursor = (cursor: Cursor) => Buffer.from(JSON.stringify(cursor)).toString('base64url');

function readCursor(text: string, jobId: string): Cursor {
  try {
    const cursor = JSON.parse(Buffer.from(text, 'base64url').toString()) as Cursor;
    const isColumn = ({ slug, title }: Cursor['columns'][number]) => typeof slug === 'string' && typeof title === 'string';
    if (cursor.jobId === jobId && Number.isSafeInteger(cursor.after) && cursor.columns.every(isColumn)) return cursor;
  } catch {
    // A malformed cursor is reported below.
  }
  throw fail('INVALID_INPUT', 'after must be the next of an earlier page');
}

/** The submitted text, unchanged; other values as JSON. */
function inputCell(row: SubmittedRow, column: string): string {
  const value = Object.hasOwn(row, column) ? row[column] : null;
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Joins lists, writes booleans as `Yes` or `No` and null as an empty cell. Only HTML attributes keep their tags. */
function attributeCell({ attributeType, value }: AttributeValue, strip: (text: string) => string): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (Array.isArray(value)) return value.map(strip).join(';');
  return attributeType === 'html' ? String(value) : strip(String(value));
}

/** The cells of rows. */
async function attributeCells(owner: string, rows: readonly AttributeValues[], slugs: readonly string[]): Promise<string[][]> {
  const tagged = new Set<string>();
  const collect = (text: string) => {
    if (TAG.test(text)) tagged.add(text);
    return text;
  };
  for (const values of rows) for (const slug of slugs) attributeCell(cellValue(values, slug), collect);
  const stripped = await stripTags(owner, [...tagged]);
  return rows.map((values) => slugs.map((slug) => attributeCell(cellValue(values, slug), (text) => stripped.get(text) ?? text)));
}

const EMPTY: AttributeValue = { attributeId: null, attributeName: '', attributeType: 'text', value: null };
const cellValue = (values: AttributeValues, slug: string) => (Object.hasOwn(values, slug) && values[slug]) || EMPTY;

/** Text without tags is left alone, because stripping also changes whitespace and special characters. */
const TAG = /<\/?[a-z][^<>]*>/i;
/** Characters of one task. */
const BATCH = 1_000_000;

/** The plain texts by their HTML. */
async function stripTags(owner: string, texts: readonly string[]): Promise<Map<string, string>> {
  const stripped = new Map<string, string>();
  for (const batch of batchesOf(texts, BATCH)) {
    const isSmall = batch.reduce((sum, { length }) => sum + length, 0) <= MAX_INLINE;
    const plain = isSmall ? batch.map(plainText) : await readContent(owner, 'plainTexts', batch).catch(refuse);
    for (const [at, text] of batch.entries()) stripped.set(text, plain[at]!);
  }
  return stripped;
}

function refuse(error: unknown): never {
  throw error instanceof ContentFault ? fail('RATE_LIMITED', error.message) : error;
}

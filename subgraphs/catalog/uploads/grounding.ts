import { query, sql } from '../../../platform/database/index.ts';
import { fitSources, SOURCE_BUDGET } from '../../../platform/model/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { truncate } from '../../../schema/text.ts';
import type { WorkScope } from '../jobs/job-kind.ts';
import type { FilePage } from './file-pages.ts';
import { countMentions, findWords, indexWords, wordsOfName } from './word-index.ts';

interface SourceText {
  title: string;
  text: string;
}

/** An image among the files of a job. */
export interface Picture {
  id: string;
  mime: string;
  bytes: number;
}

const MAX_IMAGES = 4;
const MAX_IMAGE_BYTES = 8 * 1024 * 1024;
/** Memory of a page while its text is made: its JSON, and the cells. */
const READING = 3;

/**
 * The texts of files about a subject, together within the budget of one request. Pages that mention it come first, and their tables
 * are reduced to the rows that mention it.
 * @param mentions names of the subject, such as SKU, part number and name
 */
export async function groundingOf(scope: WorkScope, fileIds: readonly string[] | null, mentions: string[]): Promise<SourceText[]> {
  if (!fileIds?.length) return [];
  const names = mentions.map((each) => each.trim().toLowerCase()).filter((each) => each.length > 2);
  const pages = await choosePages(scope, fileIds, names);
  if (pages.length === 0) return [];
  const memory = READING * pages.reduce((sum, { bytes }) => sum + bytes, 0);
  const texts = await scope.memory.during(memory, () => readTexts(scope, pages, names));
  return fitSources(texts.filter(({ text }) => text !== ''));
}

async function readTexts({ em }: Scope, pages: PageRef[], names: readonly string[]): Promise<SourceText[]> {
  const read = await query(
    em,
    sql<{ name: string; content: FilePage }>`select f.name, p.content
         from unnest(${pages.map(({ fileId }) => fileId)}::uuid[], ${pages.map(({ place }) => place)}::int[])
              with ordinality as chosen (file_id, place, n)
         join catalog.file_pages p using (file_id, place) join catalog.files f on f.id = p.file_id order by n`,
  );
  return read.map(({ name, content }) => ({ title: name, text: pageText(content, names) }));
}

/** The images among files that fit a model request. */
export async function picturesOf({ em, organizationId }: Scope, fileIds: readonly string[] | null): Promise<Picture[]> {
  if (!fileIds?.length) return [];
  return query(
    em,
    sql<Picture>`select id, mime, bytes::float8 from catalog.files
       where id = any(${fileIds}::uuid[]) and organization_id = ${organizationId} and mime like 'image/%' and bytes <= ${MAX_IMAGE_BYTES}::int
       order by name, id limit ${MAX_IMAGES}`,
  );
}

/** Pages of the files of a job that one item reads. */
const MAX_PAGES = 20;

/** A page of a file, with the bytes that a reader receives. */
interface PageRef {
  fileId: string;
  /** Of the file. */
  name: string;
  place: number;
  bytes: number;
}

/** The pages that an item reads: those that mention most of the names, then the first of the files. */
async function choosePages(scope: WorkScope, fileIds: readonly string[], names: readonly string[]): Promise<PageRef[]> {
  const first = await firstPages(scope, fileIds);
  if (first.length <= MAX_PAGES || names.length === 0) return first.slice(0, MAX_PAGES);
  await indexWords(scope, fileIds);
  const mentioned = await pagesAt(scope, await mentionsOf(scope, fileIds, names));
  const known = new Set(mentioned.map(keyOf));
  return [...mentioned, ...first.filter((page) => !known.has(keyOf(page)))].slice(0, MAX_PAGES);
}

const keyOf = ({ fileId, place }: PageRef) => `${fileId} ${place}`;

/** The first pages by file name: one more than an item reads. */
const firstPages = ({ em, organizationId }: Scope, fileIds: readonly string[]) =>
  query(
    em,
    sql<PageRef>`select "fileId", name, place, octet_length(content::text) as bytes from (
          select f.id as "fileId", f.name, p.place, p.content from catalog.files f cross join lateral (
            select place, content from catalog.file_pages where file_id = f.id order by place limit ${MAX_PAGES + 1}) p
           where f.id = any(${fileIds}::uuid[]) and f.organization_id = ${organizationId} and f.mime not like 'image/%'
           order by f.name, f.id, p.place limit ${MAX_PAGES + 1}) chosen`,
  );

type Mention = Pick<PageRef, 'fileId' | 'place'> & { count: number };

async function mentionsOf(scope: Scope, fileIds: readonly string[], names: readonly string[]): Promise<Mention[]> {
  const words = names.map(wordsOfName);
  const found = Map.groupBy(await findWords(scope, fileIds, [...new Set(words.flat())]), ({ fileId }) => fileId);
  const mentions = [...found].flatMap(([fileId, rows]) => {
    const places = new Map(rows.map((row) => [row.word, row.places]));
    return [...countMentions(words, (word) => places.get(word))].map(([place, count]) => ({ fileId, place, count }));
  });
  return mentions.sort((a, b) => b.count - a.count || a.place - b.place).slice(0, MAX_PAGES);
}

const pagesAt = ({ em, organizationId }: Scope, mentions: readonly Mention[]) =>
  query(
    em,
    sql<PageRef>`select f.id as "fileId", f.name, p.place, octet_length(p.content::text) as bytes
          from unnest(${mentions.map(({ fileId }) => fileId)}::uuid[], ${mentions.map(({ place }) => place)}::int[],
                      ${mentions.map(({ count }) => count)}::int[]) as found (file_id, place, count)
          join catalog.file_pages p using (file_id, place) join catalog.files f on f.id = p.file_id
         where f.organization_id = ${organizationId} order by found.count desc, f.name, f.id, p.place`,
  );

/** Characters of the text of one page. A request has twice as many of all sources. */
const MAX_TEXT = SOURCE_BUDGET / 2;

/**
 * Writes a table as lines of `column: cell`, up to a limit. If any rows mention the names, other rows are omitted.
 * @param names in lower case
 */
export function pageText(page: FilePage, names: readonly string[]): string {
  if (page.kind === 'text') return truncate(page.text, MAX_TEXT);
  if (page.kind === 'image') return '';
  const mentioned = page.rows.filter((row) => row.some((cell) => mentions(cell.toLowerCase(), names)));
  let text = '';
  for (const row of mentioned.length > 0 ? mentioned : page.rows) {
    let separator = text === '' ? '' : '\n\n';
    for (const [at, cell] of row.entries()) {
      if (cell === '') continue;
      text += `${separator}${page.columns[at] ?? 'Column'}: ${cell}`;
      separator = '\n';
      // Within the loop: each row repeats the names of the columns, so the whole text may be much longer than the page.
      if (text.length > MAX_TEXT) return truncate(text, MAX_TEXT);
    }
  }
  return text;
}

const mentions = (text: string, names: readonly string[]) => names.some((name) => text.includes(name));

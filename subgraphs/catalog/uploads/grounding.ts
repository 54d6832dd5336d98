import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { query, sql } from '../../../platform/database/index.ts';
import { fitSources, SOURCE_BUDGET } from '../../../platform/model/index.ts';
import { FairQueue } from '../../../platform/queues/index.ts';
import { detached, type Scope, transaction } from '../../../platform/scope/index.ts';
import { truncate } from '../../../schema/text.ts';
import type { WorkScope } from '../jobs/job-kind.ts';
import type { ContentPage } from './file-pages.ts';

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
    sql<{ name: string; content: ContentPage }>`select f.name, p.content
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
export function pageText(page: ContentPage, names: readonly string[]): string {
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

/** Pages of one read, and the memory of a build: the pages, and the entries twice. */
const [PAGES_PER_READ, BUILD_MEMORY] = [16, 64 * 1024 * 1024];
/** Entries of one file: words of pages. Later pages cannot be searched. */
const MAX_ENTRIES = 1_000_000;
/** A word on more pages of a file does not help to choose among them. */
const MAX_PLACES = 100;
/** Entries in one bucket, which a search reads as a whole. */
const BUCKET_SIZE = 250;
/** Buckets of one statement. */
const INSERT_SIZE = 100;

const queue = new FairQueue(2);

/** Indexes the words of files that no job has searched yet: once per file, one file of an organization at a time. */
async function indexWords(scope: WorkScope, fileIds: readonly string[]): Promise<void> {
  const indexNext = async () => {
    // Another item may have indexed it meanwhile.
    const [fileId] = await unindexed(scope, fileIds);
    if (fileId) await scope.memory.during(BUILD_MEMORY, () => indexFile(scope, fileId));
  };
  while ((await unindexed(scope, fileIds)).length > 0) await queue.run(scope.organizationId, indexNext, scope.signal);
}

async function unindexed({ em, organizationId }: Scope, fileIds: readonly string[]): Promise<string[]> {
  const found = await query(
    em,
    sql<{ id: string }>`select id from catalog.files
       where id = any(${fileIds}::uuid[]) and organization_id = ${organizationId} and word_buckets is null and mime not like 'image/%' order by id`,
  );
  return found.map(({ id }) => id);
}

async function indexFile(scope: WorkScope, fileId: string): Promise<void> {
  const buckets = bucketsOf(await readEntries(scope, fileId));
  await transaction(detached(scope), async ({ em }) => {
    // Another process may have indexed it, or the file may be gone.
    const [open] = await query(
      em,
      sql`select id from catalog.files where id = ${fileId} and word_buckets is null for no key update`,
    );
    if (!open) return;
    for (let at = 0; at < buckets.length; at += INSERT_SIZE) {
      const rows = buckets.slice(at, at + INSERT_SIZE).map((bucket, n) => ({ bucket: at + n, ...bucket }));
      await query(
        em,
        sql`insert into catalog.file_words (file_id, bucket, words, places)
            select ${fileId}, bucket, words, places
              from json_to_recordset(${JSON.stringify(rows)}::json) as given (bucket int, words int[], places int[])`,
      );
    }
    await query(em, sql`update catalog.files set word_buckets = ${buckets.length} where id = ${fileId}`);
  });
}

/** The words of a file with their pages, each as one number that sorts by word. */
async function readEntries({ em, signal }: WorkScope, fileId: string): Promise<Float64Array> {
  const entries = new Float64Array(MAX_ENTRIES);
  let count = 0;
  for (let place = 0; ; place += PAGES_PER_READ) {
    signal.throwIfAborted();
    const pages = await query(
      em,
      sql<{ place: number; content: ContentPage }>`select place, content from catalog.file_pages
         where file_id = ${fileId} and place >= ${place} and place < ${place + PAGES_PER_READ} order by place`,
    );
    for (const page of pages) {
      for (const word of wordsOfPage(page.content)) if (count < MAX_ENTRIES) entries[count++] = entryOf(word, page.place);
      await yieldToOthers();
    }
    if (pages.length < PAGES_PER_READ || count === MAX_ENTRIES) return entries.subarray(0, count).sort();
  }
}

const [OFFSET, PLACES] = [2 ** 31, 2 ** 20];
const entryOf = (word: number, place: number) => (word + OFFSET) * PLACES + place;
const wordOf = (entry: number) => Math.floor(entry / PLACES) - OFFSET;

interface Bucket {
  words: number[];
  places: number[];
}

/** Spreads the words over buckets, as `findWords` looks them up. */
function bucketsOf(entries: Float64Array): Bucket[] {
  const count = Math.max(1, Math.ceil(entries.length / BUCKET_SIZE));
  const buckets = Array.from({ length: count }, (): Bucket => ({ words: [], places: [] }));
  for (let start = 0, end = 0; start < entries.length; start = end) {
    const word = wordOf(entries[start]!);
    while (end < entries.length && wordOf(entries[end]!) === word) end += 1;
    const places = end - start > MAX_PLACES ? [EVERYWHERE] : Array.from(entries.subarray(start, end), (entry) => entry % PLACES);
    const bucket = buckets[(word + OFFSET) % count]!;
    for (const place of places) {
      bucket.words.push(word);
      bucket.places.push(place);
    }
  }
  return buckets;
}

/** The pages of each file that have the words. Reads one bucket per word and file. */
function findWords({ em, organizationId }: Scope, fileIds: readonly string[], words: readonly number[]) {
  return query(
    em,
    sql<{ fileId: string; word: number; places: number[] }>`select f.id as "fileId", g.word, array_agg(u.place) as places
       from catalog.files f cross join unnest(${words}::int[]) as g (word)
       join catalog.file_words w on w.file_id = f.id and w.bucket = (g.word::bigint + 2147483648) % f.word_buckets
       cross join lateral unnest(w.words, w.places) as u (word, place)
      where f.id = any(${fileIds}::uuid[]) and f.organization_id = ${organizationId} and u.word = g.word group by f.id, g.word`,
  );
}

/** Words of one page, and of one name, that the index knows. */
const [MAX_PAGE_WORDS, MAX_NAME_WORDS] = [4_000, 12];

/** The distinct words of a page, as hashes. */
export function wordsOfPage(page: ContentPage): Set<number> {
  const texts = page.kind === 'text' ? [page.text] : page.kind === 'table' ? [...page.columns, ...page.rows.flat()] : [];
  return distinctWords(texts, MAX_PAGE_WORDS);
}

/** The distinct words of a name, as hashes. */
export const wordsOfName = (name: string): number[] => [...distinctWords([name], MAX_NAME_WORDS)];

function distinctWords(texts: readonly string[], limit: number): Set<number> {
  const found = new Set<number>();
  for (const text of texts) {
    for (const word of wordsOf(text)) {
      if (found.size >= limit) return found;
      found.add(word);
    }
  }
  return found;
}

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** Scripts without spaces between words. Two letters at a time stand for their words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

function* wordsOf(text: string): Generator<number> {
  for (const [word] of text.toLowerCase().matchAll(WORD)) {
    if (word.length < 2 || !UNSPACED.test(word)) yield hashOf(word, 0, word.length);
    else for (let at = 0; at + 1 < word.length; at += 1) yield hashOf(word, at, at + 2);
  }
}

/** FNV-1a, as a signed integer of 32 bits. */
function hashOf(text: string, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash | 0;
}

/** Stands for the pages of a word that many pages of a file have. */
export const EVERYWHERE = -1;

/**
 * How many of the names each page of a file has, by place. A page has a name if it has all of its words; words of many pages
 * do not count.
 * @param placesOf the pages of the file that have a word; undefined if there are none
 */
export function countMentions(
  names: readonly (readonly number[])[],
  placesOf: (word: number) => readonly number[] | undefined,
): Map<number, number> {
  const mentions = new Map<number, number>();
  for (const name of names) {
    const lists = name.map((word) => placesOf(word) ?? []).filter((places) => places[0] !== EVERYWHERE);
    const [first = [], ...others] = lists.map((places) => new Set(places));
    for (const place of first) if (others.every((places) => places.has(place))) mentions.set(place, (mentions.get(place) ?? 0) + 1);
  }
  return mentions;
}

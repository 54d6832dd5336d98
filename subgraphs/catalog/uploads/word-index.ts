import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { query, sql } from '../../../platform/database/index.ts';
import { FairQueue } from '../../../platform/queues/index.ts';
import { detached, type Scope, transaction } from '../../../platform/scope/index.ts';
import type { WorkScope } from '../jobs/job-kind.ts';
import type { FilePage } from './file-pages.ts';

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
export async function indexWords(scope: WorkScope, fileIds: readonly string[]): Promise<void> {
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
      sql<{ place: number; content: FilePage }>`select place, content from catalog.file_pages
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
export function findWords({ em, organizationId }: Scope, fileIds: readonly string[], words: readonly number[]) {
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
export function wordsOfPage(page: FilePage): Set<number> {
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

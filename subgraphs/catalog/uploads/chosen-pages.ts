import { query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { WorkScope } from '../jobs/kind.ts';
import { findWords, indexWords } from './word-index.ts';
import { countMentions, wordsOfName } from './words.ts';

/** Pages of the files of a job that one item reads. */
const MAX_PAGES = 20;

/** A page of a file, with the bytes that a reader receives. */
export interface PageRef {
  fileId: string;
  /** Of the file. */
  name: string;
  place: number;
  bytes: number;
}

/** The pages that an item reads: those that mention most of the names, then the first of the files. */
export async function choosePages(scope: WorkScope, fileIds: readonly string[], names: readonly string[]): Promise<PageRef[]> {
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

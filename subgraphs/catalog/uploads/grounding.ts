import { query, sql } from '../../common/database.ts';
import type { Scope } from '../../common/scope.ts';
import type { FilePage } from './pages.ts';

export interface SourceText {
  title: string;
  text: string;
}

/** An image among the files of a job. */
export interface Picture {
  id: string;
  mime: string;
  bytes: number;
}

const MAX_PAGES = 20;
const MAX_IMAGES = 4;
const MAX_IMAGE_BYTES = 8 * 1024 * 1024;

/**
 * The texts of files about a subject. Pages that mention it come first, and their tables are reduced to the rows that mention it.
 * @param mentions names of the subject, such as SKU, part number and name
 */
export async function groundingOf(scope: Scope, fileIds: readonly string[] | null, mentions: string[]): Promise<SourceText[]> {
  if (!fileIds?.length) return [];
  const names = mentions.map((each) => each.trim().toLowerCase()).filter((each) => each.length > 2);
  const pages = await query(
    scope.em,
    sql<{ name: string; content: FilePage }>`select f.name, p.content
         from catalog.file_pages p join catalog.files f on f.id = p.file_id
         cross join lateral (select lower(p.content::text) as text) read
        where f.id = any(${fileIds}::uuid[]) and f.organization_id = ${scope.organizationId} and p.content ->> 'kind' <> 'image'
        order by exists (select from unnest(${names}::text[]) as given (word) where position(word in read.text) > 0) desc, f.name, f.id, p.place
        limit ${MAX_PAGES}`,
  );
  const texts = pages.map(({ name, content }) => ({ title: name, text: pageText(content, names) }));
  return texts.filter(({ text }) => text !== '');
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

/** Writes a table as lines of `column: cell`. If any rows mention the names, other rows are omitted. */
function pageText(page: FilePage, names: readonly string[]): string {
  if (page.kind === 'text') return page.text;
  if (page.kind === 'image') return '';
  const mentioned = page.rows.filter((row) => row.some((cell) => names.some((name) => cell.toLowerCase().includes(name))));
  const rows = mentioned.length > 0 ? mentioned : page.rows;
  return rows
    .map((row) => row.flatMap((cell, at) => (cell === '' ? [] : [`${page.columns[at] ?? 'Column'}: ${cell}`])).join('\n'))
    .join('\n\n');
}

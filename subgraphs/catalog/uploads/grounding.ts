import { query, sql } from '../../common/database.ts';
import { readFile } from '../../common/files/store.ts';
import type { Scope } from '../../common/scope.ts';
import type { FilePage } from './pages.ts';

export interface Grounding {
  texts: { title: string; text: string }[];
  /** As `data:` URLs. */
  images: string[];
}

const MAX_PAGES = 20;
const MAX_IMAGES = 4;
const MAX_IMAGE_BYTES = 8 * 1024 * 1024;

/**
 * The contents of files about a subject. Pages that mention it come first, and their tables are reduced to the rows that mention it.
 * @param mentions names of the subject, such as SKU, part number and name
 */
export async function groundingOf(scope: Scope, fileIds: readonly string[] | null, mentions: string[]): Promise<Grounding> {
  if (!fileIds?.length) return { texts: [], images: [] };
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
  return { texts: texts.filter(({ text }) => text !== ''), images: await imagesOf(scope, fileIds) };
}

async function imagesOf(scope: Scope, fileIds: readonly string[]): Promise<string[]> {
  const images = await query(
    scope.em,
    sql<{ id: string; mime: string }>`select id, mime from catalog.files
       where id = any(${fileIds}::uuid[]) and organization_id = ${scope.organizationId} and mime like 'image/%' and bytes <= ${MAX_IMAGE_BYTES}::int
       order by name, id limit ${MAX_IMAGES}`,
  );
  return Promise.all(images.map(({ id, mime }) => dataUrlOf(scope, id, mime)));
}

/** An image file as a `data:` URL. */
export async function dataUrlOf(scope: Scope, id: string, mime: string): Promise<string> {
  const bytes = Buffer.concat(await Array.fromAsync(readFile(scope, id)));
  return `data:${mime};base64,${bytes.toString('base64')}`;
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

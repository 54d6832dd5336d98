import { query, sql } from '../../../platform/database/index.ts';
import { fitSources } from '../../../platform/model/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { WorkScope } from '../jobs/kind.ts';
import { choosePages, type PageRef } from './chosen-pages.ts';
import { pageText } from './page-text.ts';
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

import { query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { TablePage } from '../uploads/file-pages.ts';
import { headersOfPage } from './file-rows.ts';
import { MAX_TABLES } from './mapping-types.ts';

/** The start of a table in an uploaded file. */
export interface TableHead {
  fileId: string;
  file: string;
  sheet: string;
  /** Number of pages that a model would read. */
  pages: number;
  /** The names of all columns. */
  headers: string[];
  /** The first page, which was read when the file was uploaded. */
  page: TablePage;
}

/** The first tables of files, in the order of the files. Their number and the size of a page are limited. */
export async function tableHeads({ em, organizationId }: Scope, fileIds: readonly string[]): Promise<TableHead[]> {
  const found = await query(
    em,
    sql<Omit<TableHead, 'headers'>>`
      select p.file_id as "fileId", f.name as file, p.sheet, p.content as page,
             (select count(*)::int from catalog.file_pages o where o.file_id = p.file_id and o.sheet = p.sheet) as pages
        from catalog.file_pages p join catalog.files f on f.id = p.file_id
       where p.file_id = any(${fileIds}::uuid[]) and f.organization_id = ${organizationId} and p.first_row = 1
       order by array_position(${fileIds}::uuid[], p.file_id), p.place limit ${MAX_TABLES}`,
  );
  return found.map((head) => {
    const { header = head.page.columns, rows } = head.page;
    return { ...head, headers: headersOfPage({ columns: header, rows }) };
  });
}

/** The parts that all lists of site content share: variables, fields, envelope and errors. */
export const PAGE = '$page: Int = 1, $perPage: Int = 20, $since: String';
export const LIST = 'deleted: removed { id deleted } meta { page perPage total totalPages cursor hasMore }';
export const NODES = 'page: $page, perPage: $perPage, since: $since';

/** The payload already has the keys `data`, `deleted` and `meta`; the second and the cursor only with `since`. */
export const listed = { envelope: { with: { ok: true } }, omitNull: ['deleted', 'meta.cursor', 'meta.hasMore'] } as const;

/** A cursor that is older than the retained deletions. */
export const expiredCursor = { UNPROCESSABLE: 'since is older than the retained changes. Read the list again from since=0.' };
export const listErrors = { ...expiredCursor, NOT_FOUND: 'Site not found' };
export const draftErrors = {
  ...listErrors,
  FORBIDDEN: 'Only owners and admins may read content that is not published.',
};

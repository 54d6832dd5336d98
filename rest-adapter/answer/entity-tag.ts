import { createHash } from 'node:crypto';

/** The strong entity tag of a response body. */
export const entityTag = (body: string): string => `"${createHash('sha256').update(body).digest('base64url')}"`;

/** Whether `If-None-Match` lists the tag. The comparison is weak, as for every GET request. */
export const isNotModified = (header: string | undefined, tag: string): boolean =>
  header !== undefined && (header.trim() === '*' || header.split(',').some((each) => each.trim().replace(/^W\//, '') === tag));

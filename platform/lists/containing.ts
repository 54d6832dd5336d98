import type { Bind } from '../database/index.ts';

/**
 * A pattern of texts that contain the search, for comparison with `lower(column)`. PostgreSQL lowers it, because JavaScript lowers some
 * letters (İ, Σ) differently.
 */
export const containing = (search: string, bind: Bind): string => `lower(${bind(`%${search.replace(/[\\%_]/g, '\\$&')}%`)}::text)`;

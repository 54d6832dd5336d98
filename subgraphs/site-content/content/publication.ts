import { clock } from '../../../platform/database/index.ts';
import { fail } from '../../../schema/errors.ts';
import type { PublishableRecord } from './entity.ts';

/** Publish a record now, or update the time of its publication. */
export function publish(record: PublishableRecord): void {
  record.status = 'published';
  record.publishedAt = clock.now();
  record.publishAt = null;
}

/** Turn a record back into a draft. This also cancels its scheduled publication. */
export function unpublish(record: PublishableRecord): void {
  record.status = 'draft';
  record.publishedAt = null;
  record.publishAt = null;
}

/** Schedule the publication of a record. Throws `INVALID_INPUT` for a time in the past. */
export function schedule(record: PublishableRecord, publishAt: Date): void {
  if (publishAt.getTime() <= clock.ms()) throw fail('INVALID_INPUT', 'publishAt must be in the future');
  if (publishAt.getUTCFullYear() > 9_999) throw fail('INVALID_INPUT', 'publishAt must be before the year 10000');
  record.status = 'scheduled';
  record.publishAt = publishAt;
  record.publishedAt = null;
}

/** The condition of a status filter on a list. */
export const statusWhere = <S extends string>(status: S | 'all'): { status?: S } =>
  status === 'all' ? {} : { status: status as S };

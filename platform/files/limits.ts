import { defaultFileQuota } from '../../schema/body-limit.ts';
import { fail } from '../../schema/errors.ts';

/** How much an organization may store, and for how long. */
export interface FileStorageLimits {
  /** Maximum bytes of the files of one organization and of their pages. */
  quota: number;
  /** Days after the last use. */
  retentionDays: number;
}

export const defaultFileLimits: FileStorageLimits = { quota: defaultFileQuota, retentionDays: 180 };

/** The refusal of a file that does not fit the quota. */
export function quotaReached({ quota }: FileStorageLimits) {
  const size = `${Math.round(quota / 1024 / 1024)} MB`;
  return fail(
    'LIMIT_REACHED',
    `File storage limit reached. The files of an organization can take up to ${size}. Delete unused files first.`,
  );
}

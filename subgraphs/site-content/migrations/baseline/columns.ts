import { OWNED } from '../../../../platform/database/index.ts';

// Columns of many tables.
export const OF_SITE = `${OWNED}, site_id uuid not null references site_content.sites on delete cascade`;
export const VERSIONED =
  'version integer not null default 1, created_at timestamptz not null default now(), updated_at timestamptz not null default now()';
export const PUBLISHED = `status text not null, published_at timestamptz, publish_at timestamptz,
  check ((status = 'published') = (published_at is not null)), check ((status = 'scheduled') = (publish_at is not null))`;

/** The classes of a page index: rows by status. */
export const STATUSES = Object.fromEntries(
  ['draft', 'scheduled', 'published'].map((status) => [status, `(c.status = '${status}')`]),
);

/** The scheduled records that are due: all, and those of an organization, which must not read those of the others. */
export const scheduleIndexes = (table: string) => `
create index ${table}_due on site_content.${table} (publish_at) where status = 'scheduled';
create index ${table}_due_of_organization on site_content.${table} (organization_id, publish_at) where status = 'scheduled';`;

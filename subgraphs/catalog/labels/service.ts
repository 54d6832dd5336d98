import { requireBalance } from '../../../platform/credits/index.ts';
import { clock, countRows, query, sql } from '../../../platform/database/index.ts';
import { listPage, type PageRequest } from '../../../platform/lists/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { chooseAttributes } from '../attributes/service.ts';
import { type Job, JobItem } from '../jobs/entity.ts';
import { createJob } from '../jobs/service.ts';
import { requireFiles } from '../uploads/service.ts';
import type { Label, LabelSubject } from './entity.ts';
import { rowItems, sameName, subjects } from './subjects.ts';
import type { NewLabelJob } from './types.ts';

/** Ignores case and surrounding spaces. */
export async function labelExists(scope: Scope, subject: LabelSubject, name: string): Promise<boolean> {
  return (await countRows(scope, subjects[subject].entity, { matching: sameName('name', name) })) > 0;
}

const MAX_ATTEMPTS = 20;

/** Returns the label of this name, or creates it. Concurrent calls return the same label. */
export async function createLabel(
  { em, organizationId }: Scope,
  subject: LabelSubject,
  { name, slug: wanted }: { name: string; slug?: string | null },
): Promise<{ label: Label; created: boolean }> {
  const table = sql.table(subjects[subject].table);
  const columns = sql.raw('id, organization_id as "organizationId", name, slug, created_at as "createdAt"');
  const slug = slugOf(wanted ?? name);
  let free = /^-*$/.test(slug) ? stamped(slug) : slug;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const [found] = await query(
      em,
      sql<Label>`select ${columns} from ${table} where organization_id = ${organizationId} and catalog.name_key(name) = catalog.name_key(${name})`,
    );
    if (found) return { label: found, created: false };
    const [made] = await query(
      em,
      sql<Label>`insert into ${table} (id, organization_id, name, slug) values (gen_random_uuid(), ${organizationId}, ${name}, ${free})
                 on conflict do nothing returning ${columns}`,
    );
    if (made) return { label: made, created: true };
    // The conflict is either the name, which the next attempt finds, or the slug of another label.
    free = stamped(slug, attempt);
  }
  throw fail('CONFLICT', `The slug ${slug} is taken. Please try again.`);
}

/** Lowercase, with each run of other characters replaced by a hyphen. Hyphens at the ends stay. */
const slugOf = (name: string) => name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
/** Random jitter that grows with each attempt separates concurrent requests. */
const stamped = (slug: string, attempt = 1) => `${slug}-${clock.ms() + Math.floor(Math.random() * attempt ** 2)}`;

/** The slug by the rules of new labels: with a timestamp if another label has it. */
export async function freeSlug(scope: Scope, subject: LabelSubject, wanted: string, ownId: string): Promise<string> {
  const slug = slugOf(wanted);
  if (/^-*$/.test(slug)) return stamped(slug);
  const table = sql.table(subjects[subject].table);
  const [taken] = await query(
    scope.em,
    sql`select 1 from ${table} where organization_id = ${scope.organizationId} and slug = ${slug} and id <> ${ownId}`,
  );
  return taken ? stamped(slug) : slug;
}

const HISTORY_COLUMNS = [
  ...['id', 'organizationId', 'jobId', 'ordinal', 'label', 'inputData', 'referenceData', 'status', 'startedAt'],
  ...['completedAt', 'errorMessage', 'enrichedData', 'provenance', 'cost', 'createdAt'],
] as (keyof JobItem)[];

/** Newest first, by completion, or by creation while the item is open. */
const NEWEST = 'coalesce(r.completed_at, r.created_at) desc, r.id desc';
/** The enrichments of merged labels last. */
export const OWN_NEWEST = `r.from_merge, ${NEWEST}`;

/** The enrichments of a label, newest first. Empty for an unknown name. */
export const historyOf = (scope: Scope, subject: LabelSubject, name: string, page: PageRequest) =>
  listPage(
    scope,
    JobItem,
    { columns: HISTORY_COLUMNS, where: { subject }, matching: sameName('label', name), ordering: NEWEST },
    page,
  );

/**
 * Starts an enrichment of the brands or categories in the rows. Throws `OUT_OF_CREDITS`, and `CONFLICT` while another such job is
 * open.
 */
export async function createLabelJob(
  scope: RequestScope,
  subject: LabelSubject,
  { rows, useWebsearch, ...options }: NewLabelJob,
): Promise<Job> {
  const { kind } = subjects[subject];
  const items = rowItems(subject, rows);
  await requireBalance(scope);
  await chooseAttributes(scope, options.attributeSetId, options.attributeIds, subject);
  const uploadedFileIds = await requireFiles(scope, options.uploadedFileIds ?? []);
  const job = { ...options, uploadedFileIds, kind, websearch: useWebsearch, createdById: scope.caller.userId };
  return createJob(scope, job, items);
}

import { requireBalance } from '../../../platform/credits/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { chooseAttributes } from '../attributes/service.ts';
import type { Job } from '../jobs/entity.ts';
import { createJob } from '../jobs/service.ts';
import { requireFiles } from '../uploads/service.ts';
import { rowItems } from './rows.ts';
import { type LabelSubject, subjects } from './subjects.ts';
import type { NewLabelJob } from './types.ts';

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

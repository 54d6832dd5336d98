import { readRows } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { codeOf } from '../../../schema/errors.ts';
import type { Word } from '../../../schema/words.ts';
import type { Job } from '../jobs/entity.ts';
import { ItemFailure } from '../jobs/kind.ts';
import { Attribute } from './entity.ts';
import { chooseAttributes, MAX_LISTED } from './service.ts';

/** The active attributes selected by a job. Throws `ItemFailure` if its set or one of its attributes was deleted. */
export async function attributesOfJob(
  scope: Scope,
  { attributeSetId, attributeIds }: Job,
  subject: Word<'AttributeSubject'> = 'product',
): Promise<Attribute[]> {
  if (attributeSetId === null && !attributeIds?.length) return allAttributes(scope, subject);
  return chooseAttributes(scope, attributeSetId, attributeIds, subject).catch((error: { message: string; extensions?: object }) => {
    throw codeOf(error) === 'NOT_FOUND' ? new ItemFailure(error.message) : error;
  });
}

/** Every item of a job reads them, so they are plain rows. */
const allAttributes = (scope: Scope, subject: Word<'AttributeSubject'>): Promise<Attribute[]> =>
  readRows(
    scope,
    Attribute,
    { where: { subject, isActive: true }, orderBy: { createdAt: 'asc', id: 'asc' } },
    { limit: MAX_LISTED, offset: 0 },
  );

/** The active attributes of a job over products. Throws `ItemFailure` if there are none. */
export async function requireAttributes(scope: Scope, job: Job) {
  const attributes = await attributesOfJob(scope, job);
  if (attributes.length === 0) throw new ItemFailure('There are no active attributes to fill in');
  return attributes;
}

import { codeOf } from '../../../schema/errors.ts';
import type { Word } from '../../../schema/words.ts';
import type { Scope } from '../../common/scope.ts';
import type { Attribute } from '../attributes/entity.ts';
import { chooseAttributes } from '../attributes/service.ts';
import type { Job } from './entity.ts';
import { ItemFailure } from './failure.ts';

/** The active attributes that a job was asked for. Throws `ItemFailure` when its set, or one of them, is no more. */
export async function attributesOfJob(
  scope: Scope,
  { attributeSetId, attributeIds }: Job,
  subject: Word<'AttributeSubject'> = 'product',
): Promise<Attribute[]> {
  return chooseAttributes(scope, attributeSetId, attributeIds, subject).catch((error: { message: string; extensions?: object }) => {
    throw codeOf(error) === 'NOT_FOUND' ? new ItemFailure(error.message) : error;
  });
}

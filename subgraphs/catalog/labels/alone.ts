import { UniqueConstraintViolationException } from '@mikro-orm/postgresql';
import { fail } from '../../../schema/errors.ts';
import type { Word } from '../../../schema/words.ts';
import { subjects } from './subjects.ts';

/** What is said when a job could not be made because another of its kind is open; the database decides that there is only one. */
export const orInProgress =
  (kind: Word<'JobKind'>) =>
  (error: unknown): never => {
    const words = Object.values(subjects).find((each) => each.kind === kind);
    throw words && error instanceof UniqueConstraintViolationException ? fail('CONFLICT', words.inProgress) : error;
  };

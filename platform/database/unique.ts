import { UniqueConstraintViolationException } from '@mikro-orm/postgresql';
import { fail } from '../../schema/errors.ts';

/** Handles the rejection of a write: `CONFLICT` with this message if a unique value is taken. Throws other errors unchanged. */
export const conflictIfTaken =
  (message: string) =>
  (error: unknown): never => {
    throw error instanceof UniqueConstraintViolationException ? fail('CONFLICT', message) : error;
  };

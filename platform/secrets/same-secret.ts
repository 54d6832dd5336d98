import { createHash, timingSafeEqual } from 'node:crypto';

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Whether a value that a caller sent is this secret. Takes the same time for every value of a length. */
export const isSecret = (secret: string, value: unknown): boolean =>
  typeof value === 'string' && timingSafeEqual(digest(secret), digest(value));

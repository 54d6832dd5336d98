import { CountedBytes } from './counted-bytes.ts';

/** Counts the stored answers to an `Idempotency-Key`. Short ones, such as those of deletions, are never refused. */
export class BytesOfAnswers extends CountedBytes {
  protected readonly tables = [
    {
      table: 'identity.idempotency_keys',
      bytes: '200 + coalesce(octet_length(r.result), 0)',
      refuses: false,
      updates: 'octet_length(r.result) > 10000',
    },
  ] as const;
}

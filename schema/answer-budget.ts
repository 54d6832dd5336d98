import type { GraphQLError } from 'graphql';
import { fail } from './errors.ts';

/** Bytes of an answer where the configuration names no limit. */
export const defaultAnswerLimit = 33_554_432;
/** Values that the lists of one answer may have together. */
const mostValues = 500_000;

const tooLarge = (bytes: number): GraphQLError =>
  fail('LIMIT_REACHED', `The answer is larger than ${bytes / 2 ** 20} MiB: ask for fewer fields, or for shorter lists`);
const tooMany = (): GraphQLError =>
  fail('LIMIT_REACHED', `The answer has more than ${mostValues} values: ask for fewer fields, or for shorter lists`);

/**
 * What one operation may still read. It is counted while rows arrive and while lists are made, so that an operation ends before the
 * memory is taken. The gateway starts it anew for each operation.
 */
export class AnswerBudget {
  #bytes = 0;
  #values = 0;
  #refusal: GraphQLError | undefined;

  /** @param limit bytes of the rows that an operation reads, and of its answer */
  constructor(readonly limit: number) {}

  /** Why the operation cannot be answered, once the budget is exceeded. */
  get refusal(): GraphQLError | undefined {
    return this.#refusal;
  }

  /** Count bytes that were read. Throws `LIMIT_REACHED`. */
  read(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.limit) this.#refusal ??= tooLarge(this.limit);
    if (this.#refusal) throw this.#refusal;
  }

  /** Count values of a list. Throws `LIMIT_REACHED`. */
  values(count: number): void {
    this.#values += count;
    if (this.#values > mostValues) this.#refusal ??= tooMany();
    if (this.#refusal) throw this.#refusal;
  }

  /** Check the size of a value that is about to be written: one row may stand in a result a thousand times. Throws `LIMIT_REACHED`. */
  measure(value: unknown): void {
    this.write(sizeOf(value, this.limit));
  }

  /** Check the length of the text that is written. Throws `LIMIT_REACHED`. */
  write(length: number): void {
    if (length > this.limit) this.#refusal ??= tooLarge(this.limit);
    if (this.#refusal) throw this.#refusal;
  }

  restart(): void {
    this.#bytes = 0;
    this.#values = 0;
    this.#refusal = undefined;
  }
}

/** Characters of a value as JSON, about; counted no further than `limit`. */
function sizeOf(value: unknown, limit: number): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null || value instanceof Date) return 8;
  let size = 2;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && size <= limit; at++) size += sizeOf(value[at], limit - size) + 1;
    return size;
  }
  for (const key in value) {
    if (size > limit) break;
    size += key.length + 4 + sizeOf((value as Record<string, unknown>)[key], limit - size);
  }
  return size;
}

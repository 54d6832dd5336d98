import type { GraphQLError } from 'graphql';
import { fail } from './errors.ts';

/** Default limit of a request body, in bytes. */
export const defaultBodyLimit = 10_485_760;

/** Default bytes of the upload forms in progress: three quarters of the volume that the chart mounts for them. */
export const defaultUploadBudget = 805_306_368;

/** Default bytes that the files of one organization may take. */
export const defaultFileQuota = 10_737_418_240;

/** Default limit of a response, in bytes. */
export const defaultAnswerLimit = 33_554_432;
/** Total values of all lists in one response. */
const MAX_VALUES = 500_000;

const tooLarge = (bytes: number): GraphQLError =>
  fail('LIMIT_REACHED', `The response is larger than ${bytes / 2 ** 20} MiB: request fewer fields or shorter lists`);
const tooMany = (): GraphQLError =>
  fail('LIMIT_REACHED', `The response has more than ${MAX_VALUES} values: request fewer fields or shorter lists`);

/**
 * Limits the data that one operation reads and returns. It counts while rows arrive and while resolvers return lists, so that an operation
 * fails before it allocates too much memory. The gateway resets it for each operation.
 */
export class AnswerBudget {
  #bytes = 0;
  #values = 0;
  #refusal: GraphQLError | undefined;

  /** @param limit bytes of the rows that an operation reads, and of its response */
  constructor(readonly limit: number) {}

  /** The error of the operation, set once it exceeds the budget. */
  get refusal(): GraphQLError | undefined {
    return this.#refusal;
  }

  /** Count bytes read from the database. Throws `LIMIT_REACHED`. */
  read(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.limit) this.#refusal ??= tooLarge(this.limit);
    if (this.#refusal) throw this.#refusal;
  }

  /** Count values of a list. Throws `LIMIT_REACHED`. */
  values(count: number): void {
    this.#values += count;
    if (this.#values > MAX_VALUES) this.#refusal ??= tooMany();
    if (this.#refusal) throw this.#refusal;
  }

  /** Check the size of a value before it is serialized: a result may repeat one row many times. Throws `LIMIT_REACHED`. */
  measure(value: unknown): void {
    this.write(sizeOf(value, this.limit));
  }

  /** Check the length of the serialized text. Throws `LIMIT_REACHED`. */
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

/** Approximate length of a value as JSON. Stops counting at `limit`. */
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

import { fail } from '../../../schema/errors.ts';
import type { AttributeContent, AttributeValues } from './values.ts';

/** Limit of the bytes of all values of one product, including their keys and names. */
export const MAX_BYTES = 1_000_000;

const bytesOf = (value: AttributeContent): number => {
  if (typeof value === 'string') return Buffer.byteLength(value);
  return Array.isArray(value) ? value.reduce((sum, each) => sum + Buffer.byteLength(each), 0) : 8;
};

/** Whether the values of one product exceed `MAX_BYTES`. */
export function isTooLarge(values: AttributeValues): boolean {
  let bytes = 0;
  for (const [key, { attributeName = key, value }] of Object.entries(values)) {
    bytes += Buffer.byteLength(key) + Buffer.byteLength(attributeName) + bytesOf(value);
  }
  return bytes > MAX_BYTES;
}

export const tooLarge = (path: string) => `${path} must have at most ${MAX_BYTES} bytes of values together`;

/** Returns the values. Throws `INVALID_INPUT` if they are too large for one product. */
export function checkSize(values: AttributeValues): AttributeValues {
  if (isTooLarge(values)) throw fail('INVALID_INPUT', tooLarge('attributes'));
  return values;
}

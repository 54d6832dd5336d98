import { createHash, createHmac } from 'node:crypto';
import { isObject } from '../../schema/json.ts';
import { fileFingerprints } from '../files/index.ts';
import type { RequestScope } from '../scope/index.ts';

export const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * Hash the arguments of a request. Files count by their content, because a retried upload has new ids. The hash is keyed, because a plain
 * hash of a weak secret could be guessed. Returns the hashes by all keys of `SECRETS_KEY`, in their order.
 */
export async function fingerprints(args: Record<string, unknown>, scope: RequestScope): Promise<Buffer[]> {
  const { files } = { ...args, ...(args.input as object | undefined) } as { files?: unknown };
  const contents = Array.isArray(files) ? await fileFingerprints(scope, files.map(String)) : undefined;
  const text = JSON.stringify(args, (name, value: unknown) => {
    if (contents && name === 'files' && Array.isArray(value)) return value.map((id) => contents.get(String(id)) ?? id);
    return sorted(value);
  });
  const keys = scope.services.secrets.tokenKeys('idempotency');
  return keys.map((key) => createHmac('sha256', key).update(text).digest());
}

/** Sort the keys of an object, so that their order does not matter. */
const sorted = (value: unknown) =>
  isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;

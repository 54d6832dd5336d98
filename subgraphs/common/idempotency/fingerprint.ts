import { createHash } from 'node:crypto';
import { isObject } from '../../../schema/json.ts';
import { contentsOf } from '../files/drafts.ts';
import type { RequestScope } from '../scope.ts';

export const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** A hash of arguments: equal for the same request. Files count by their content, because their ids are new each time. */
export async function fingerprint(given: Record<string, unknown>, scope: RequestScope): Promise<Buffer> {
  const { files } = { ...given, ...(given.input as object | undefined) } as { files?: unknown };
  const contents = Array.isArray(files) ? await contentsOf(scope, files.map(String)) : undefined;
  const text = JSON.stringify(given, (name, value: unknown) => {
    if (contents && name === 'files' && Array.isArray(value)) return value.map((id) => contents.get(String(id)) ?? id);
    return sorted(value);
  });
  return sha256(text);
}

/** The order of the keys of an object does not matter. */
const sorted = (value: unknown) =>
  isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;

import { SizedCache } from '../database/index.ts';
import type { Scope } from '../scope/index.ts';
import type { Services } from '../subgraph/index.ts';
import { readFile } from './file-store.ts';

/** Bytes of the shared URLs: the images of a few jobs. */
const BUDGET = 64 * 1024 * 1024;

interface SharedUrls {
  cache: SizedCache<string, string>;
  reading: Map<string, Promise<string>>;
}
const sharedUrls = new WeakMap<Services, SharedUrls>();

/** An image file as a `data:` URL. */
export async function dataUrlOf(scope: Scope, id: string, mime: string): Promise<string> {
  const bytes = Buffer.concat(await Array.fromAsync(readFile(scope, id)));
  return `data:${mime};base64,${bytes.toString('base64')}`;
}

/**
 * Like `dataUrlOf`, for a file that many items of a job read: they share one text. The content of a file never changes, but the file may
 * be deleted, so the caller must check that it exists.
 */
export function sharedDataUrlOf(scope: Scope, id: string, mime: string): Promise<string> {
  const key = `${scope.organizationId} ${id} ${mime}`;
  const { cache, reading }: SharedUrls = sharedUrls.get(scope.services) ?? { cache: new SizedCache(BUDGET), reading: new Map() };
  sharedUrls.set(scope.services, { cache, reading });
  const known = cache.get(key);
  if (known !== undefined) return Promise.resolve(known);
  const url = reading.get(key) ?? dataUrlOf(scope, id, mime);
  if (!reading.has(key)) {
    reading.set(key, url);
    const stored = url.then((text) => {
      cache.set(key, text, text.length);
      // The next item reads it again, so it counts as in use.
      cache.get(key);
    });
    stored.catch(() => {}).finally(() => reading.delete(key));
  }
  return url;
}
